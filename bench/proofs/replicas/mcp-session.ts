const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const version = '2025-11-25';

/**
 * The outcome of one call: its text, a typed error of a replica, or a reply that was lost with its replica: the connection broke, or the
 * proxy says whether the call may be repeated.
 */
export type CallOutcome =
  | { kind: 'result'; text: string }
  | { kind: 'error'; code: string; retryable: unknown; text: string }
  | { kind: 'lost'; retryable: unknown };

/** A plain client of a revision with sessions. It initializes once and never again. */
export class McpSession {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  #id = 0;

  private constructor(url: string, headers: Record<string, string>) {
    this.#url = url;
    this.#headers = headers;
  }

  /** Repeats `initialize` if its replica goes away meanwhile: nothing has happened then. */
  static async open(url: string, credential: Record<string, string>): Promise<McpSession> {
    const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'proof', version: '1' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    for (;;) {
      const response = await fetch(`${url}/mcp`, { method: 'POST', headers: { ...jsonHeaders, ...credential }, body });
      const id = response.headers.get('mcp-session-id');
      const text = await response.text();
      if (id !== null) {
        const headers = { ...credential, 'mcp-session-id': id, 'mcp-protocol-version': version };
        return new McpSession(url, headers);
      }
      if (response.status !== 502) throw new Error(`initialize replied ${response.status}: ${text}`);
    }
  }

  async call(name: string, args: object): Promise<CallOutcome> {
    this.#id += 1;
    const params = { name, arguments: args };
    const response = await fetch(`${this.#url}/mcp`, {
      method: 'POST',
      headers: { ...jsonHeaders, ...this.#headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: this.#id, method: 'tools/call', params }),
    }).catch(() => undefined);
    // A reply that breaks off rejects while it is read.
    const text = await response?.text().catch(() => undefined);
    if (response === undefined || text === undefined) return { kind: 'lost', retryable: undefined };
    if (response.status === 502) return { kind: 'lost', retryable: JSON.parse(text).error.retryable };
    return read(response.status, text);
  }
}

function read(status: number, text: string): CallOutcome {
  // The reply to a slow call is a stream, which ends with the result.
  const json = text.startsWith('{') ? text : [...text.matchAll(/^data: (\{.*)$/gm)].at(-1)?.[1];
  const reply: Reply = JSON.parse(json ?? '{}');
  const content = reply.result?.content?.[0]?.text ?? '';
  if (status === 200 && reply.result && !reply.result.isError) return { kind: 'result', text: content };
  const data = reply.result ? JSON.parse(content) : reply.error?.data;
  return { kind: 'error', code: String(data?.code ?? status), retryable: data?.retryable, text };
}

interface Reply {
  result?: { content?: { text?: string }[]; isError?: boolean };
  error?: { data?: { code?: string; retryable?: boolean } };
}
