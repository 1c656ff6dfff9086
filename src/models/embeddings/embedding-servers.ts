import { z } from 'zod';
import { HubError } from '../../base/hub-error.ts';
import type { EmbeddingSettings } from './embedding-settings.ts';

export type ServerProvider = 'openai' | 'ollama' | 'openai-compatible';

/** An embedding server: its address and protocol. */
export interface EmbeddingServer {
  provider: ServerProvider;
  model: string;
  /** Name and host for messages, without credentials. */
  location: string;
  host: string;
  url: string;
  headers: Record<string, string>;
  /** Values that must never appear in a message. */
  secrets: readonly string[];
  /** The length of its vectors, if known before the first reply. */
  dims: number | undefined;
  body(texts: readonly string[]): object;
  /** Returns one vector per text, in order, as numbers or base64 of 32-bit floats. Throws ZodError. */
  parse(reply: unknown): (readonly unknown[] | string)[];
  /** What the user can do about a rejected key. */
  keyHint: string;
  /** What the user can do about an unknown model or address. */
  modelHint: string;
  /** Thrown instead of sending a request that cannot work. */
  unready?: HubError;
}

const defaultModels: Record<ServerProvider, string> = {
  openai: 'text-embedding-3-small',
  ollama: 'nomic-embed-text',
  'openai-compatible': '',
};

/** Throws NOT_CONFIGURED, INVALID_CONFIG. */
export function findEmbeddingServer(
  provider: ServerProvider,
  settings: Pick<EmbeddingSettings, 'model' | 'dims' | 'url' | 'apiKey'>,
  env: (name: string) => string | undefined,
): EmbeddingServer {
  const model = settings.model ?? defaultModels[provider];
  const read = (name: string) => env(name)?.trim() || undefined;
  switch (provider) {
    case 'openai':
      return openAi(model, settings, read);
    case 'ollama':
      return ollama(model, settings, read);
    case 'openai-compatible':
      return compatible(model, settings, read);
  }
}

type Settings = Pick<EmbeddingSettings, 'dims' | 'url' | 'apiKey'>;
type Env = (name: string) => string | undefined;

const knownDims: Record<string, number> = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
};

const openAiOrigin = 'https://api.openai.com';

function openAi(model: string, settings: Settings, env: Env): EmbeddingServer {
  const address = readAddress(settings.url ?? env('OPENAI_BASE_URL') ?? `${openAiOrigin}/v1`, 'OPENAI_BASE_URL');
  const { apiKey, withheld } = keyFor(address, settings, env, 'OPENAI_API_KEY');
  // Only this model family supports shorter vectors; the others reject the field.
  const requestedDims = model.startsWith('text-embedding-3') ? settings.dims : undefined;
  const keyHint = withheld ?? 'Set OPENAI_API_KEY to a valid key.';
  const unready = `OpenAI embeddings need a key. ${keyHint} For a server without keys, use provider = "openai-compatible".`;
  return {
    ...openAiProtocol('openai', model, address, apiKey),
    location: `OpenAI at ${address.host}`,
    dims: settings.dims ?? knownDims[model],
    // Base64 takes a quarter of the bytes and is faster to parse.
    body: (input) => ({
      model,
      input,
      encoding_format: 'base64',
      ...(requestedDims !== undefined && { dimensions: requestedDims }),
    }),
    keyHint,
    modelHint: `Check [embedding] model ("${model}")${settings.url || env('OPENAI_BASE_URL') ? ' and OPENAI_BASE_URL or [embedding] url' : ''}.`,
    ...(apiKey === undefined && { unready: new HubError('NOT_CONFIGURED', unready) }),
  };
}

function compatible(model: string, settings: Settings, env: Env): EmbeddingServer {
  const url = settings.url ?? env('OPENAI_COMPATIBLE_BASE_URL');
  if (url === undefined) {
    const what = 'The embedding provider "openai-compatible" has no address.';
    throw new HubError('NOT_CONFIGURED', `${what} Set [embedding] url, or OPENAI_COMPATIBLE_BASE_URL.`);
  }
  if (model === '') {
    const what = 'The embedding provider "openai-compatible" has no model.';
    throw new HubError('NOT_CONFIGURED', `${what} Set [embedding] model.`);
  }
  const address = readAddress(url, '[embedding] url');
  const { apiKey, withheld } = keyFor(address, settings, env, 'OPENAI_COMPATIBLE_API_KEY');
  return {
    ...openAiProtocol('openai-compatible', model, address, apiKey),
    location: `the embedding server at ${address.host}`,
    dims: settings.dims,
    body: (input) => ({ model, input }),
    keyHint: withheld ?? 'Set OPENAI_COMPATIBLE_API_KEY to a valid key.',
    modelHint: `Check [embedding] model ("${model}") and url (most servers need the path /v1).`,
  };
}

/**
 * Returns the key of the config or the environment. The variable is for OpenAI itself, or for an address that the environment sets as
 * well; the config sends it elsewhere only by naming it.
 */
function keyFor(
  { url }: Address,
  settings: Settings,
  env: Env,
  variable: string,
): { apiKey?: string | undefined; withheld?: string } {
  const found = env(variable);
  const isForAddress = settings.url === undefined || url.origin === openAiOrigin;
  if (settings.apiKey !== undefined || found === undefined || isForAddress) return { apiKey: settings.apiKey ?? found };
  const how = `To send it there, add api_key = "\${${variable}}" to [embedding].`;
  return { withheld: `${variable} is not sent to ${url.host}, which is set in the config. ${how}` };
}

const OpenAiReply = z.looseObject({
  data: z.array(
    z.looseObject({ index: z.int().min(0).optional(), embedding: z.union([z.string(), z.array(z.unknown())]) }),
  ),
});

function openAiProtocol(provider: ServerProvider, model: string, address: Address, apiKey: string | undefined) {
  return {
    provider,
    model,
    host: address.host,
    url: withPath(address.url, (path) => (path.endsWith('/embeddings') ? path : `${path || '/v1'}/embeddings`)),
    headers: { ...address.headers, ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
    secrets: [...address.secrets, ...(apiKey === undefined ? [] : [apiKey])],
    parse(reply: unknown) {
      const { data } = OpenAiReply.parse(reply);
      const indexed = data.map((each, index) => ({ index: each.index ?? index, embedding: each.embedding }));
      return indexed.sort((a, b) => a.index - b.index).map((each) => each.embedding);
    },
  };
}

const OllamaReply = z.looseObject({ embeddings: z.array(z.array(z.unknown())) });

function ollama(model: string, settings: Settings, env: Env): EmbeddingServer {
  const address = readAddress(ollamaUrl(settings.url ?? env('OLLAMA_HOST') ?? '127.0.0.1'), 'OLLAMA_HOST');
  return {
    provider: 'ollama',
    model,
    location: `Ollama at ${address.host}`,
    host: address.host,
    url: withPath(address.url, (path) => `${path.replace(/\/(api|v1)$/, '')}/api/embed`),
    headers: {
      ...address.headers,
      ...(settings.apiKey !== undefined && { authorization: `Bearer ${settings.apiKey}` }),
    },
    secrets: [...address.secrets, ...(settings.apiKey === undefined ? [] : [settings.apiKey])],
    dims: settings.dims ?? (model === defaultModels.ollama ? 768 : undefined),
    body: (input) => ({ model, input, truncate: true }),
    parse: (reply) => OllamaReply.parse(reply).embeddings,
    keyHint: 'Set [embedding] api_key, or check OLLAMA_HOST.',
    modelHint: `Run "ollama pull ${model}" on that machine, or change [embedding] model.`,
  };
}

/** OLLAMA_HOST may be just a host, and may be the address that the server binds to. */
function ollamaUrl(value: string): string {
  const url = /^https?:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (parsed.hostname === '0.0.0.0') parsed.hostname = '127.0.0.1';
  if (parsed.port === '' && !/^https?:\/\//i.test(value)) parsed.port = '11434';
  return parsed.href;
}

interface Address {
  host: string;
  url: URL;
  headers: Record<string, string>;
  secrets: string[];
}

/** Moves credentials into a header, because `fetch` rejects them in URLs. */
function readAddress(value: string, setting: string): Address {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) {
    throw new HubError('INVALID_CONFIG', `${setting} must start with http:// or https://.`);
  }
  const url = new URL(value);
  const { host, username, password } = url;
  if (username === '' && password === '') return { host, url, headers: {}, secrets: [] };
  url.username = '';
  url.password = '';
  const basic = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  const secrets = [password, decoded(password), basic].filter((secret) => secret !== '');
  return { host, url, headers: { authorization: `Basic ${basic}` }, secrets };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Changes the path and keeps the query. */
function withPath(url: URL, change: (path: string) => string): string {
  const changed = new URL(url);
  changed.pathname = change(url.pathname.replace(/\/+$/, ''));
  return changed.href;
}
