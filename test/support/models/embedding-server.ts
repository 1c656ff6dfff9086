import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface EmbeddingRequest {
  path: string;
  authorization: string | undefined;
  texts: string[];
  body: Record<string, unknown>;
}

/** A reply instead of vectors. */
type ScriptedAnswer =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  /** Never replies, or disconnects. */
  | 'hang'
  | 'drop'
  /** Changes the vectors. */
  | { change: (vectors: number[][]) => unknown[] };

export interface TestEmbeddingServer {
  /** The URL without a path. */
  url: string;
  host: string;
  requests: EmbeddingRequest[];
  /** All received texts, in order. */
  texts(): string[];
  /** Replies for the next requests, one each. */
  script(...answers: ScriptedAnswer[]): void;
  /** Resolves when this many requests have arrived since the start. */
  requested(count: number): Promise<void>;
  close(): Promise<void>;
}

interface EmbeddingServerOptions {
  dims?: number;
  /** More or longer texts are refused as too large. */
  maxTexts?: number;
  maxCharacters?: number;
}

/** Implements the embedding APIs of OpenAI (`…/embeddings`) and Ollama (`/api/embed`). Texts with the same words have similar vectors. */
export async function startEmbeddingServer(options: EmbeddingServerOptions = {}): Promise<TestEmbeddingServer> {
  const { dims = 16, maxTexts = Number.POSITIVE_INFINITY, maxCharacters = Number.POSITIVE_INFINITY } = options;
  const requests: EmbeddingRequest[] = [];
  const script: ScriptedAnswer[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}`,
    host,
    requests,
    texts: () => requests.flatMap((request) => request.texts),
    script: (...answers) => void script.push(...answers),
    async requested(count) {
      while (requests.length < count) await new Promise<void>((resolve) => waiting.add(resolve));
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Record<string, unknown>;
    const texts = [body.input].flat() as string[];
    const path = request.url ?? '';
    requests.push({ path, authorization: request.headers.authorization, texts, body });
    for (const wake of waiting) wake();
    waiting.clear();
    const next = script.shift();
    if (next === 'hang') return;
    if (next === 'drop') return void response.destroy();
    if (next && 'status' in next) return send(response, next.status, next.body ?? {}, next.headers);
    if (texts.length > maxTexts) return send(response, 413, { error: { message: 'Too many inputs' } });
    if (texts.some((text) => text.length > maxCharacters)) {
      return send(response, 400, { error: { message: "This model's maximum context length is exceeded" } });
    }
    const vectors = texts.map((text) => wordVector(text, dims));
    const sent = next ? next.change(vectors) : vectors;
    if (path === '/api/embed') return send(response, 200, { model: body.model, embeddings: sent });
    const data = sent.map((embedding, index) => ({ index, embedding: encode(embedding, body.encoding_format) }));
    // Reversed: `index` defines the order.
    send(response, 200, { object: 'list', data: data.reverse() });
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function encode(embedding: unknown, format: unknown): unknown {
  if (format !== 'base64' || !Array.isArray(embedding)) return embedding;
  return Buffer.from(Float32Array.from(embedding).buffer).toString('base64');
}

/** Not of unit length. */
export function wordVector(text: string, dims: number): number[] {
  const vector = new Array<number>(dims).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 2166136261;
    for (let index = 0; index < word.length; index += 1) hash = Math.imul(hash ^ word.charCodeAt(index), 16777619);
    const at = (hash >>> 0) % dims;
    vector[at] = (vector[at] ?? 0) + (hash & 1 ? 3 : 2);
  }
  return vector;
}
