import { globalAgent as http, type IncomingMessage } from 'node:http';
import { globalAgent as https } from 'node:https';
import type { Readable } from 'node:stream';
import type { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible';
import { readCapped, sendRequest, unpackedBody } from '../base/http-request.ts';
import { EventReader } from '../base/server-events.ts';
import type { ModelEvent, ModelRequest } from '../engine/model.ts';
import { toCallOptions } from './call-options.ts';
import { ChatCompletionReader, complaintIn } from './chat-completion-reader.ts';
import type { ProviderAccess } from './provider-access.ts';

const maxCharacters = 50_000_000;
const maxErrorBytes = 1_000_000;
/** So long an answer that has told its end may take to end. */
const endingMs = 1_000;

/**
 * Asks an OpenAI-compatible server. The AI SDK's package writes the request; the answer is read here, because the package hands
 * every word through five web streams, which together cost more than the rest of a call. There is no limit on the time between
 * two pieces, where `fetch` has one of five minutes.
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
    // The agents that are set up for a proxy when Node is told to use one.
    agents: { http, https },
    signal: request.signal,
    mayRepeat: true,
  });
  let body: Readable = incoming;
  let isOver = false;
  try {
    body = await unpackedBody(incoming);
    await checkAnswer(incoming, body);
    for await (const event of readAnswer(body, optionsName(model.provider))) {
      // What came together with an event that somebody stopped at is not told any more.
      request.signal.throwIfAborted();
      isOver = event.type === 'finish';
      yield event;
    }
  } finally {
    if (isOver) letEnd(incoming, body);
    else incoming.destroy();
  }
}

/** The name under which the package looks for the options of a provider. */
function optionsName(provider: string): string {
  return provider.replace(/\..*$/s, '').trim();
}

/** By how it begins: the type that servers and proxies give their answers is not always the one they have. */
async function* readAnswer(body: Readable, provider: string): AsyncGenerator<ModelEvent> {
  const answer = new ChatCompletionReader(provider);
  const events = new EventReader(maxCharacters);
  let first = '';
  let whole = '';
  body.setEncoding('utf8');
  // The connection stays, for the next request, when the reading ends before it.
  const pieces: AsyncIterable<string> = body.iterator({ destroyOnReturn: false });
  for await (const each of pieces) {
    // Together with a byte order mark.
    const piece = first === '' ? each.trimStart() : each;
    first ||= piece.charAt(0);
    if (first === '<') throw new Error('The server sent a web page in place of an answer. Check the base URL.');
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
    throw new Error(`The server sent what is no JSON: ${text.slice(0, 100)}`);
  }
}

/** A refusal as the packages of the AI SDK throw it. */
async function checkAnswer(incoming: IncomingMessage, body: Readable): Promise<void> {
  const { statusCode = 0, statusMessage = '', headers } = incoming;
  if (statusCode >= 200 && statusCode < 300) return;
  // It would carry the key to an address that nobody set.
  if (statusCode < 400) throw new Error(`unexpected redirect (HTTP ${statusCode}). Set the address that it leads to.`);
  // Who refuses a long question may hang up before it has said everything.
  const responseBody = (await readCapped(body, maxErrorBytes).catch(() => null)) ?? '';
  const message = messageIn(responseBody) ?? statusMessage;
  throw Object.assign(new Error(message), { statusCode, responseHeaders: headers, responseBody });
}

function messageIn(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'string' ? undefined : complaintIn(value);
  } catch {
    return undefined;
  }
}

/** A connection that ends its answer in order can be used again. */
function letEnd(incoming: IncomingMessage, body: Readable): void {
  body.resume();
  if (incoming.complete) return;
  const cut = setTimeout(() => incoming.destroy(), endingMs);
  cut.unref();
  incoming.once('close', () => clearTimeout(cut));
}
