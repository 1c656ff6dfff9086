import { globalAgent as http, type IncomingMessage } from 'node:http';
import { globalAgent as https } from 'node:https';
import type { Readable } from 'node:stream';
import type { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible';
import { readCapped, sendRequest, unpackedBody } from '../base/http-request.ts';
import { EventReader } from '../base/server-events.ts';
import type { ModelEvent, ModelRequest } from '../engine/model.ts';
import { toCallOptions } from './call-options.ts';
import { ChatCompletionReader, errorMessageIn } from './chat-completion-reader.ts';
import type { ProviderAccess } from './language-models.ts';

const maxCharacters = 50_000_000;
const maxErrorBytes = 1_000_000;
/** How long a connection may take to end after the answer is complete. */
const endingMs = 1_000;

/**
 * Asks an OpenAI-compatible server. The AI SDK's package writes the request. The answer is read here, because the package passes every
 * chunk through five web streams, which cost more than the rest of a call. There is no limit on the time between two chunks; `fetch`
 * has one of five minutes.
 */
export async function* askChatCompletions(
  model: Pick<OpenAICompatibleChatLanguageModel, 'prepareRequest' | 'provider'>,
  access: ProviderAccess,
  request: ModelRequest,
): AsyncGenerator<ModelEvent> {
  const { body: question } = await model.prepareRequest(toCallOptions(model.provider, request));
  const incoming = await sendRequest({
    url: new URL(`${access.baseUrl.replace(/\/+$/, '')}/chat/completions`),
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream, application/json',
      'user-agent': 'agent-zoo',
      ...(access.apiKey === undefined ? {} : { authorization: `Bearer ${access.apiKey}` }),
      ...access.settings.headers,
      ...request.headers,
    },
    body: JSON.stringify({ ...question, stream: true, stream_options: { include_usage: true } }),
    // Node's global agents use a proxy if one is configured.
    agents: { http, https },
    signal: request.signal,
    mayRepeat: true,
  });
  let body: Readable = incoming;
  let isComplete = false;
  try {
    body = await unpackedBody(incoming);
    await checkAnswer(incoming, body);
    for await (const event of readAnswer(body, optionsName(model.provider))) {
      // Events of the same chunk are dropped once the run is aborted.
      request.signal.throwIfAborted();
      isComplete = event.type === 'finish';
      yield event;
    }
  } finally {
    if (isComplete) drain(incoming, body);
    else incoming.destroy();
  }
}

/** Returns the name under which the package looks for a provider's options. */
function optionsName(provider: string): string {
  return provider.replace(/\..*$/s, '').trim();
}

/** Detects the format by its first character: the content type that servers and proxies send is not reliable. */
async function* readAnswer(body: Readable, provider: string): AsyncGenerator<ModelEvent> {
  const answer = new ChatCompletionReader(provider);
  const events = new EventReader(maxCharacters);
  let first = '';
  let whole = '';
  body.setEncoding('utf8');
  // Keeps the connection for the next request if reading ends early.
  const pieces: AsyncIterable<string> = body.iterator({ destroyOnReturn: false });
  for await (const each of pieces) {
    // Also removes a byte order mark.
    const piece = first === '' ? each.trimStart() : each;
    first ||= piece.charAt(0);
    if (first === '<') throw new Error('The server sent a web page instead of an answer. Check the base URL.');
    if (first === '{') {
      whole += piece;
      if (whole.length > maxCharacters) throw new RangeError('The answer is too long.');
      continue;
    }
    for (const { data } of events.read(piece)) {
      const text = data.trim();
      if (text === '') continue;
      if (text === '[DONE]') {
        yield* answer.end();
        return;
      }
      yield* answer.add(parsed(text));
    }
  }
  if (whole !== '') yield* answer.add(parsed(whole));
  yield* answer.end();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The server sent invalid JSON: ${text.slice(0, 100)}`);
  }
}

/** Throws HTTP errors in the form that the AI SDK's packages use. */
async function checkAnswer(incoming: IncomingMessage, body: Readable): Promise<void> {
  const { statusCode = 0, statusMessage = '', headers } = incoming;
  if (statusCode >= 200 && statusCode < 300) return;
  // Following it would send the key to an address that nobody configured.
  if (statusCode < 400) throw new Error(`unexpected redirect (HTTP ${statusCode}). Set the base URL to its target.`);
  // A server that rejects a long request may close the connection before its reply is complete.
  const responseBody = (await readCapped(body, maxErrorBytes).catch(() => null)) ?? '';
  const message = messageIn(responseBody) ?? statusMessage;
  throw Object.assign(new Error(message), { statusCode, responseHeaders: headers, responseBody });
}

function messageIn(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'string' ? undefined : errorMessageIn(value);
  } catch {
    return undefined;
  }
}

/** Lets the reply end normally, so that the connection can be reused. */
function drain(incoming: IncomingMessage, body: Readable): void {
  body.resume();
  if (incoming.complete) return;
  const cut = setTimeout(() => incoming.destroy(), endingMs);
  cut.unref();
  incoming.once('close', () => clearTimeout(cut));
}
