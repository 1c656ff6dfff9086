/** How a bad server reacts to a message. Each tool is a way to misbehave. */
export interface BadChannel {
  /** Sends a valid message. */
  send(message: object): void;
  /** Sends bytes instead of a message. Resolves when there is room for more, with false if nobody reads any more. */
  write(text: string): Promise<boolean>;
  /** Closes this connection and forgets its session. */
  drop(): void;
  /** The headers over HTTP, or the environment on stdio. */
  readonly origin: object;
}

export interface BadScript {
  /** What the server does instead of the handshake. */
  start?: 'exit' | 'hang' | 'garbage' | 'huge' | 'drip';
  /** The number of tools it lists, in pages of 100; -1 if it lacks tools/list. */
  tools?: number;
  /** Lists one name twice. */
  double?: boolean;
  /** Returns the same cursor, or a new one, endlessly. */
  cursor?: 'same' | 'endless';
}

type Message = {
  id?: number | string;
  method?: string;
  params?: { [key: string]: unknown };
  result?: unknown;
  error?: unknown;
};

const megabyte = 'x'.repeat(1024 * 1024);
const hugeMegabytes = 1024;

export class BadBehaviour {
  readonly #script: BadScript;
  /** The names of the called tools, in order. */
  readonly #calls: unknown[] = [];
  readonly #cancelled: unknown[] = [];
  /** Open questions to the client. */
  readonly #asked = new Map<string, (message: Message) => void>();
  #changes = 0;

  constructor(script: BadScript) {
    this.#script = script;
  }

  async handle(message: Message, channel: BadChannel): Promise<void> {
    const { id, method, params = {} } = message;
    const answer = (result: object) => channel.send({ jsonrpc: '2.0', id, result });
    if (method === 'notifications/cancelled') this.#cancelled.push(params.requestId);
    if (method === undefined) this.#asked.get(String(id))?.(message);
    if (id === undefined || method === undefined) return;
    if (method === 'initialize') {
      if (this.#script.start !== undefined) return await this.#misbehave(this.#script.start, id, channel);
      return answer({
        protocolVersion: '2025-06-18',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'bad', version: '1' },
      });
    }
    if (method === 'tools/list' && this.#script.tools !== -1) return answer(this.#list(String(params.cursor ?? '')));
    if (method !== 'tools/call') {
      return channel.send({ jsonrpc: '2.0', id, error: { code: -32601, message: `No method ${method}` } });
    }
    const { name, arguments: input } = params;
    this.#calls.push(name);
    if (name === 'echo') return answer({ content: [{ type: 'text', text: JSON.stringify(input) }], isError: false });
    if (name === 'origin') return answer({ content: [], structuredContent: channel.origin });
    if (name === 'seen') return answer({ structuredContent: { calls: this.#calls, cancelled: this.#cancelled } });
    if (name === 'large') return answer({ content: [{ type: 'text', text: 'x'.repeat(Number(Object(input).bytes)) }] });
    if (name === 'refuse')
      return channel.send({ jsonrpc: '2.0', id, error: { code: -32000, message: 'No. '.repeat(5_000) } });
    if (name === 'odd') return answer({ content: ['text'] });
    if (name === 'order')
      return answer({ isError: false, zebra: 1, content: [{ text: 'a', type: 'text' }], _meta: { b: 1, a: 2 } });
    if (name === 'change') {
      this.#changes += 1;
      answer({ content: [] });
      for (let times = 0; times < 5; times += 1)
        channel.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      return;
    }
    if (name === 'progress') return await this.#report(id, params, channel, Number(Object(input).times));
    if (name === 'ask') return answer({ structuredContent: await this.#ask(Object(input), channel) });
    return await this.#misbehave(String(name), id, channel);
  }

  /** Asks the client the given question, and returns its answer. */
  #ask({ method, params }: Record<string, unknown>, channel: BadChannel): Promise<object> {
    const id = `question-${this.#asked.size}`;
    channel.send({ jsonrpc: '2.0', id, method, params });
    return new Promise((resolve) => {
      this.#asked.set(id, ({ result, error }) => resolve({ result, error }));
    });
  }

  async #misbehave(how: string, id: number | string, channel: BadChannel): Promise<void> {
    switch (how) {
      case 'exit':
        process.exit(3);
        break;
      case 'drop':
        channel.drop();
        break;
      case 'garbage':
        for (let line = 0; line < 50; line += 1) await channel.write(`this is no message ${line}\n`);
        channel.send({ jsonrpc: '2.0', id, result: { content: [] } });
        break;
      case 'flood':
        while (await channel.write(`${'no message '.repeat(90)}\n`));
        break;
      case 'huge':
        await channel.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
        for (let sent = 0; sent < hugeMegabytes; sent += 1) if (!(await channel.write(megabyte))) break;
        break;
      case 'drip':
        await channel.write('{');
        setInterval(() => void channel.write(' '), 5);
        break;
      case 'hang':
        break;
      default:
        channel.send({ jsonrpc: '2.0', id, error: { code: -32602, message: `Unknown tool: ${how}` } });
    }
  }

  async #report(id: number | string, params: Message['params'], channel: BadChannel, times: number): Promise<void> {
    const token = Object(params?._meta).progressToken;
    for (let progress = 1; progress <= times; progress += 1) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      channel.send({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: token, progress, total: times, message: `step ${progress}` },
      });
    }
    channel.send({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } });
  }

  #list(cursor: string): object {
    const { tools = 0, double, cursor: endless } = this.#script;
    const from = Number(cursor.split('/').at(-1) || 0);
    const page = Array.from({ length: Math.min(100, Math.max(0, tools - from)) }, (_, index) =>
      tool(`tool_${from + index}`),
    );
    if (endless === 'same') return { tools: page, nextCursor: 'again/0' };
    if (endless === 'endless') return { tools: page, nextCursor: `more/${from + 1}` };
    if (from + page.length < tools) return { tools: page, nextCursor: `page/${from + page.length}` };
    return {
      tools: [
        ...page,
        tool('echo', `Changed ${this.#changes} times.`),
        ...(double ? [tool('echo', 'Another tool of that name.')] : []),
      ],
    };
  }
}

function tool(name: string, description = 'Misbehaves.') {
  return { name, description, inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };
}
