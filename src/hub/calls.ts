import type { HubError } from '../base/hub-error.ts';
import type { Caller } from '../tools/caller.ts';
import { executeTool, type PipelineParts, refuseCall, type ToolCall, type ToolOutcome } from '../tools/execute-tool.ts';
import { type CallerClaim, type CallerParts, resolveCaller } from './resolve-caller.ts';

/** How every surface runs tools. */
export interface Calls {
  /** Returns who calls, as the pipeline judges it. Throws PERMISSION_DENIED, AGENT_NOT_FOUND, INVALID_ARGUMENTS. */
  resolveCaller(claim: CallerClaim): Promise<Caller>;
  /** The one way to run a tool. */
  execute(call: ToolCall): Promise<ToolOutcome>;
  /** Logs a call that was rejected before its caller was known, and returns the error as its outcome. */
  refuse(call: ToolCall, error: HubError): Promise<ToolOutcome>;
}

export function openCalls(callers: CallerParts, pipeline: PipelineParts): Calls {
  return {
    resolveCaller: (claim) => resolveCaller(callers, claim),
    execute: (call) => executeTool(pipeline, call),
    refuse: (call, error) => refuseCall(pipeline, call, error),
  };
}
