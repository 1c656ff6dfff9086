import { HubError } from '../../base/hub-error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { AskOptions, LogLevel, ToolClient, ToolConnection } from '../../tools/tool-client.ts';
import type { Exchange } from './exchange.ts';
import { isObject, logLevels, notificationText } from './protocol.ts';

/** How a running tool talks to an MCP client. The way to ask questions depends on the protocol era. */
abstract class McpToolClient implements ToolClient {
  protected readonly exchange: Exchange;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }

  get connection(): ToolConnection | undefined {
    return this.exchange.peer.connection;
  }

  get takesQuestions(): boolean {
    const { sampling, elicitation, roots } = this.exchange.peer.capabilities;
    return sampling !== undefined || elicitation !== undefined || roots !== undefined;
  }

  progress(progress: number, options: { total?: number; message?: string } = {}): void {
    const meta = this.exchange.request.params._meta;
    const progressToken = typeof meta === 'object' && meta !== null && !Array.isArray(meta) && meta.progressToken;
    if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return;
    const { total, message } = options;
    this.exchange.notify(
      notificationText('notifications/progress', {
        progressToken,
        progress,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message }),
      }),
    );
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    const minLevel = this.exchange.peer.logLevel;
    if (minLevel === null || logLevels.indexOf(level) < logLevels.indexOf(minLevel)) return;
    this.exchange.notify(
      notificationText('notifications/message', { level, ...(logger !== undefined && { logger }), data: data ?? null }),
    );
  }

  sample(params: JsonObject, options?: AskOptions): Promise<JsonObject> {
    return this.#ask('sampling/createMessage', params, options);
  }

  elicit(params: JsonObject, options?: AskOptions): Promise<JsonObject> {
    return this.#ask('elicitation/create', params, options);
  }

  roots(options?: AskOptions): Promise<JsonObject> {
    return this.#ask('roots/list', {}, options);
  }

  releaseConnection(): void {
    this.exchange.release?.();
  }

  #ask(method: string, params: JsonObject, options: AskOptions = {}): Promise<JsonObject> {
    const refusal = checkCapability(this.exchange.peer.capabilities, method, params);
    return refusal ? Promise.reject(refusal) : this.question(method, params, options);
  }

  protected abstract question(method: string, params: JsonObject, options: AskOptions): Promise<JsonObject>;
}

/** For revisions with sessions: a question is a separate request to the client. */
export class SessionToolClient extends McpToolClient {
  protected question(method: string, params: JsonObject, { signal }: AskOptions): Promise<JsonObject> {
    const { ask } = this.exchange;
    if (ask) return ask(method, withElicitationId(params), signal);
    return Promise.reject(
      new HubError('UNAVAILABLE', `The client cannot receive ${method}, because it does not accept an event stream.`, {
        details: { retryable: false },
      }),
    );
  }
}

/** Adds the elicitation id that these revisions require. Servers of the newest revision no longer send one. */
function withElicitationId(params: JsonObject): JsonObject {
  return params.mode === 'url' && params.elicitationId === undefined
    ? { ...params, elicitationId: crypto.randomUUID() }
    : params;
}

export interface InputRequest {
  method: string;
  params: JsonObject;
}

/**
 * For revision 2026-07-28, in which a running request cannot ask questions. The run ends at the first unanswered questions,
 * which become the result. The client calls again with the answers, and the tool runs from the start.
 */
export class ReplayToolClient extends McpToolClient {
  /** The unanswered questions of this run, by key. */
  readonly open = new Map<string, InputRequest>();
  readonly #answers: JsonObject;
  readonly #waiting: ((error: HubError) => void)[] = [];
  #questions = 0;

  constructor(exchange: Exchange, answers: JsonObject) {
    super(exchange);
    this.#answers = answers;
  }

  protected question(method: string, params: JsonObject, { key }: AskOptions): Promise<JsonObject> {
    this.#questions += 1;
    const name = key ?? `question-${this.#questions}`;
    const answer = Object.hasOwn(this.#answers, name) ? this.#answers[name] : undefined;
    if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return Promise.resolve(answer);
    this.open.set(name, { method, params });
    return new Promise((_, reject) => {
      // Questions asked in the same turn are sent together.
      if (this.#waiting.push(reject) === 1) setImmediate(() => this.#endRun());
    });
  }

  #endRun(): void {
    const error = new HubError('CANCELLED', 'The call needs answers from the client and will run again with them.');
    // Later questions of the tool are rejected in the same way.
    for (const reject of this.#waiting.splice(0)) reject(error);
  }
}

/** Returns the capabilities that a client must declare for a request. */
function requiredFor(method: string, params: JsonObject): JsonObject {
  if (method === 'elicitation/create') return { elicitation: params.mode === 'url' ? { url: {} } : { form: {} } };
  if (method === 'sampling/createMessage')
    return { sampling: params.tools !== undefined || params.toolChoice !== undefined ? { tools: {} } : {} };
  return { roots: {} };
}

const words: Record<string, string> = {
  elicitation: 'ask its user this question',
  sampling: 'answer sampling requests',
  roots: 'list its roots',
};

/** Returns UNAVAILABLE, with `details.requiredCapabilities`, if the client lacks a capability for a request. */
export function checkCapability(declared: JsonObject, method: string, params: JsonObject): HubError | undefined {
  const required = requiredFor(method, params);
  for (const [name, members] of Object.entries(required)) {
    const found = declared[name];
    if (isObject(found) && isObject(members) && Object.keys(members).every((member) => hasMember(name, found, member)))
      continue;
    return new HubError(
      'UNAVAILABLE',
      `This client cannot ${words[name]}. Call the tool from an MCP client that can.`,
      {
        details: { requiredCapabilities: required, retryable: false },
      },
    );
  }
  return undefined;
}

/** `elicitation: {}` is the older way to declare forms. */
function hasMember(name: string, found: JsonObject, member: string): boolean {
  if (found[member] !== undefined) return true;
  return name === 'elicitation' && member === 'form' && found.url === undefined;
}
