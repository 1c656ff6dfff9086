import { LazyAbort } from '../../base/abort.ts';
import type { McpServer } from '../mcp-server.ts';
import type { McpView } from '../view.ts';
import { sessionPeer } from './exchange.ts';
import { sessionVersions } from './protocol.ts';

/** The replies at the start of a session, as the JSON of their results. */
export interface Greeting {
  /** Keyed by the protocol version that the client requests. */
  initialize: Record<string, string>;
  /** The first page of `tools/list`. */
  tools: string;
}

/** Returns the current replies to a new client. Throws if a reply would be an error. */
export async function greetingOf(server: McpServer, view: McpView): Promise<Greeting> {
  const ask = async (method: string, params: Record<string, string>): Promise<string> => {
    const { text, isResult } = await server.answer(view, {
      request: { kind: 'request', id: 0, method, params },
      peer: sessionPeer(),
      abort: new LazyAbort(),
      notify: () => {},
      ask: undefined,
      release: undefined,
    });
    if (!isResult) throw new Error(`The reply to ${method} is an error: ${text}`);
    return text.slice(replyHead.length, -1);
  };
  const initialize: Record<string, string> = {};
  for (const protocolVersion of sessionVersions)
    initialize[protocolVersion] = await ask('initialize', { protocolVersion });
  return { initialize, tools: await ask('tools/list', {}) };
}

const replyHead = '{"jsonrpc":"2.0","id":0,"result":';
