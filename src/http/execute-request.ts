import type { IncomingMessage } from 'node:http';
import { HubError } from '../base/hub-error.ts';
import type { CallerClaim } from '../hub/resolve-caller.ts';
import type { Hub } from '../hub.ts';
import { bearerToken } from '../mcp-server/bearer-token.ts';
import { provenCaller } from '../mcp-server/proven-caller.ts';
import type { Caller } from '../tools/caller.ts';
import type { ToolCall, ToolOutcome } from '../tools/execute-tool.ts';

/** Runs a tool for whoever sends the request. One who is refused leaves a row in the log, as every call does. */
export async function executeRequest(
  hub: Hub,
  request: IncomingMessage,
  { claim, call }: { claim: (token: string | undefined) => CallerClaim; call: Omit<ToolCall, 'caller'> },
): Promise<ToolOutcome> {
  let caller: Caller;
  try {
    caller = await hub.resolveCaller(claim(bearerToken(request)));
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return hub.refuse({ ...call, caller: await provenCaller(hub, 'http', request) }, error);
  }
  return hub.execute({ ...call, caller });
}
