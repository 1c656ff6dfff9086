import { HubError } from '../../base/hub-error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { AskOptions, LogLevel, ToolClient, ToolConnection } from '../../tools/tool-client.ts';
import type { Exchange } from './exchange.ts';
import { isObject, logLevels, notificationText } from './protocol.ts';

/** What a running tool can say to an MCP client; how it asks differs by era. */
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
    const least = this.exchange.peer.logLevel;
    if (least === null || logLevels.indexOf(level) < logLevels.indexOf(least)) return;
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

/** Revisions with sessions: the question travels as a request of its own. */
export class SessionToolClient extends McpToolClient {
  protected question(method: string, params: JsonObject, { signal }: AskOptions): Promise<JsonObject> {
    const { ask } = this.exchange;
    if (ask) return ask(method, withElicitationId(params), signal);
    return Promise.reject(
      new HubError('UNAVAILABLE', `This connection cannot carry ${method}: the client accepts no event stream.`, {
        details: { retryable: false },
      }),
    );
  }
}

/** These revisions want an id for an address to visit, which a server of the newest one no longer gives. */
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
 * Revision 2026-07-28: nothing can be asked while a request runs. The run ends at the first questions without an
 * answer, the client gets them as the result, and calls again with the answers; the tool then runs from its beginning.
 */
export class ReplayToolClient extends McpToolClient {
  /** Questions of this run that have no answer yet, by key. */
  readonly open = new Map<string, InputRequest>();
  readonly #answers: JsonObject;
  readonly #waiting: ((error: HubError) => void)[] = [];
  #asked = 0;

  constructor(exchange: Exchange, answers: JsonObject) {
    super(exchange);
    this.#answers = answers;
  }

  protected question(method: string, params: JsonObject, { key }: AskOptions): Promise<JsonObject> {
    this.#asked += 1;
    const name = key ?? `question-${this.#asked}`;
    const answer = Object.hasOwn(this.#answers, name) ? this.#answers[name] : undefined;
    if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return Promise.resolve(answer);
    this.open.set(name, { method, params });
    return new Promise((_, reject) => {
      // What the tool asks in the same turn goes out in one round.
      if (this.#waiting.push(reject) === 1) setImmediate(() => this.#endRun());
    });
  }

  #endRun(): void {
    const error = new HubError('CANCELLED', 'The call waits for the client and is run again with its answers.');
    // A tool that goes on asking gets the same word for its next question.
    for (const reject of this.#waiting.splice(0)) reject(error);
  }
}

/** What a client must have declared before it may be asked this. */
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

/** UNAVAILABLE, with `details.requiredCapabilities`, when the client did not declare what the question needs. */
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

/** `elicitation: {}` is the older way to say "forms". */
function hasMember(name: string, found: JsonObject, member: string): boolean {
  if (found[member] !== undefined) return true;
  return name === 'elicitation' && member === 'form' && found.url === undefined;
}
