import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chatAnswer, chatChunks } from './model-server-chat.ts';
import { responsesEvents } from './model-server-responses.ts';

export interface ScriptedToolCall {
  /** `call_1`, `call_2`, … by default. */
  id?: string;
  name: string;
  /** Text is sent unchanged, even if it is not JSON. */
  arguments: unknown;
  /** The number of chunks for the arguments; 1 by default. */
  pieces?: number;
}

export interface ScriptedAnswer {
  /** A list is sent in chunks. */
  text?: string | readonly string[];
  reasoning?: string | readonly string[];
  toolCalls?: readonly ScriptedToolCall[];
  usage?: { input: number; output: number; cached?: number; reasoning?: number };
  /** By default `tool_calls` if there are calls, otherwise `stop`. */
  finishReason?: string;
  /** Destroys the socket after this many chunks; 0 means after the headers. */
  cutAfter?: number;
  /** Ends the reply normally after this many chunks, like a proxy whose server is gone. */
  endAfter?: number;
  /** Sends nothing more after this many chunks; the connection stays open. */
  hangAfter?: number;
  /** Waits before each chunk: real milliseconds, or a function of the test. */
  beforePiece?: number | ((index: number) => Promise<void> | void);
}

export type ModelStep =
  | ScriptedAnswer
  | { status: number; headers?: Record<string, string>; body?: unknown }
  /** Never replies. */
  | 'hang'
  /** Disconnects before it sends anything. */
  | 'drop';

/** A chat completion; one of the Responses API has `input` instead of `messages`. */
interface ModelRequestBody {
  model: string;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  messages: {
    role: string;
    content: unknown;
    tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[];
    tool_call_id?: string;
    reasoning_content?: string;
  }[];
  tools?: { type: string; function: { name: string; description?: string; parameters: unknown } }[];
  [key: string]: unknown;
}

export interface RecordedModelRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: ModelRequestBody;
  /** Whether the reply was sent completely (or cut by the script), or the client disconnected first. */
  outcome: Promise<'answered' | 'gone'>;
}

export interface ModelServerOptions {
  /** One step per request to a model, or a function of the request and its number, starting at 0. */
  script?: readonly ModelStep[] | ((request: RecordedModelRequest, index: number) => ModelStep | Promise<ModelStep>);
  /** The models for `GET /v1/models`; objects have further fields. */
  models?: readonly (string | { id: string; [field: string]: unknown })[];
  /** Requests without this key get HTTP 401. */
  key?: string;
  /** Whether the list of models needs no key, as at OpenRouter. */
  listsWithoutKey?: boolean;
}

export interface TestModelServer {
  /** The URL, including `/v1`. */
  url: string;
  /** The requests to a model, in order, without `GET /v1/models`. */
  requests: RecordedModelRequest[];
  /** Adds steps after the remaining ones. */
  add(...steps: ModelStep[]): void;
  /** Resolves when this many requests have arrived since the start. */
  requested(count: number): Promise<void>;
  close(): Promise<void>;
}

const cutByScript = new WeakSet<ServerResponse>();

/**
 * A scripted model with the real API of OpenAI: `POST /v1/chat/completions` and
 * `/v1/responses` (streamed only), `GET /v1/models`. A request beyond the script gets HTTP 400.
 */
export async function startModelServer(options: ModelServerOptions = {}): Promise<TestModelServer> {
  const { script = [], models = ['scripted'] } = options;
  const steps = Array.isArray(script) ? [...(script as readonly ModelStep[])] : [];
  const decide = typeof script === 'function' ? script : undefined;
  const requests: RecordedModelRequest[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    add: (...more) => void steps.push(...more),
    async requested(count) {
      while (requests.length < count) await new Promise<void>((resolve) => waiting.add(resolve));
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const isList = request.method === 'GET' && path === '/v1/models';
    const isAllowed = options.key === undefined || request.headers.authorization === `Bearer ${options.key}`;
    if (!isAllowed && !(isList && options.listsWithoutKey)) {
      return sendJson(response, 401, { error: { message: 'Incorrect API key provided.' } });
    }
    if (isList) {
      const data = models.map((model) => ({ object: 'model', ...(typeof model === 'string' ? { id: model } : model) }));
      return sendJson(response, 200, { object: 'list', data });
    }
    const api = path === '/v1/chat/completions' ? 'chat' : path === '/v1/responses' ? 'responses' : undefined;
    if (request.method !== 'POST' || !api) return sendJson(response, 404, { error: { message: `No ${path} here` } });
    const outcome = new Promise<'answered' | 'gone'>((resolve) => {
      response.once('close', () => resolve(response.writableEnded || cutByScript.has(response) ? 'answered' : 'gone'));
    });
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as ModelRequestBody;
    const recorded = { method: request.method, path, headers: request.headers, body, outcome };
    const index = requests.push(recorded) - 1;
    for (const wake of waiting) wake();
    waiting.clear();
    const step = decide ? await decide(recorded, index) : steps.shift();
    if (step === undefined) {
      return sendJson(response, 400, { error: { message: `The script has no step for request ${index + 1}` } });
    }
    if (step === 'hang') return;
    if (step === 'drop') return cut(response);
    if ('status' in step) return sendJson(response, step.status, step.body ?? {}, step.headers);
    if (body.stream !== true && api === 'chat') return sendJson(response, 200, chatAnswer(step, body.model));
    await sendStream(response, api === 'chat' ? chatChunks(step, body) : responsesEvents(step, body), step);
  }
}

function cut(response: ServerResponse): void {
  cutByScript.add(response);
  response.destroy();
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function sendStream(response: ServerResponse, pieces: readonly string[], step: ScriptedAnswer): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
  for (const [index, piece] of pieces.entries()) {
    if (index === step.hangAfter) return;
    if (index === step.cutAfter) return cut(response);
    if (index === step.endAfter) return void response.end();
    await waitBefore(step.beforePiece, index);
    if (response.destroyed) return;
    // Each chunk is flushed before the next is created, so that the script controls what the client has received.
    await new Promise<void>((resolve) => response.write(piece, () => resolve()));
  }
  response.end();
}

async function waitBefore(wait: ScriptedAnswer['beforePiece'], index: number): Promise<void> {
  if (typeof wait === 'function') await wait(index);
  else if (wait !== undefined) await new Promise((resolve) => setTimeout(resolve, wait));
}
