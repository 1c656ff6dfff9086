import { newId } from '../base/ids.ts';
import type { ProviderOptions } from '../engine/message.ts';
import type { FinishReason, ModelEvent, Usage } from '../engine/model.ts';
import { toInput } from './tool-input.ts';

/** What is read of a piece of an answer. Servers differ, so nothing of it is believed before it was looked at. */
interface Piece {
  error?: unknown;
  usage?: unknown;
  choices?: unknown;
}

interface Delta {
  content?: unknown;
  refusal?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
  tool_calls?: unknown;
}

/**
 * The answer of an OpenAI-compatible server, piece by piece. Text and reasoning are told as they come; calls wait for the end,
 * because an answer that breaks off has given none.
 */
export class ChatCompletionReader {
  readonly #calls: ToolCallPieces;
  #finish: string | undefined;
  #hasRefused = false;
  #usage: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };

  /** `provider` as it is named in the options of a request. */
  constructor(provider: string) {
    this.#calls = new ToolCallPieces(provider);
  }

  /** Throws what the server says failed. */
  add(value: unknown): ModelEvent[] {
    const piece: Piece = isObject(value) ? value : {};
    if (hasFailed(piece.error)) throw toFailure(piece.error);
    if (piece.choices === undefined && complaintIn(piece) !== undefined) throw toFailure(piece);
    if (isObject(piece.usage)) this.#usage = toUsage(piece.usage);
    const choice = Array.isArray(piece.choices) ? piece.choices[0] : undefined;
    if (!isObject(choice)) return [];
    if (hasFailed(choice.error)) throw toFailure(choice.error);
    this.#finish = textIn(choice.finish_reason) ?? this.#finish;
    // A server that does not stream sends the whole message.
    const delta = choice.delta ?? choice.message;
    return isObject(delta) ? this.#read(delta) : [];
  }

  /** Throws when the answer was not complete. */
  end(): ModelEvent[] {
    if (this.#finish === undefined) throw new Error('The stream ended without a finish.');
    const reason = this.#hasRefused && this.#finish === 'stop' ? 'content-filter' : toReason(this.#finish);
    return [...this.#calls.events(), { type: 'finish', reason, usage: this.#usage }];
  }

  #read(delta: Delta): ModelEvent[] {
    const events: ModelEvent[] = [];
    // Where both are there they say the same, or one of them nothing.
    const reasoning = [delta.reasoning_content, delta.reasoning].find(
      (each) => typeof each === 'string' && each !== '',
    );
    if (typeof reasoning === 'string') events.push(reasoned(reasoning));
    if (typeof delta.content === 'string') {
      if (delta.content !== '') events.push({ type: 'text', delta: delta.content });
    } else if (Array.isArray(delta.content)) {
      for (const part of delta.content) events.push(...readPart(part));
    }
    if (typeof delta.refusal === 'string' && delta.refusal !== '') {
      this.#hasRefused = true;
      events.push({ type: 'text', delta: delta.refusal });
    }
    if (Array.isArray(delta.tool_calls)) for (const call of delta.tool_calls) this.#calls.add(call);
    return events;
  }
}

function reasoned(delta: string): ModelEvent {
  return { type: 'reasoning', id: 'reasoning-0', delta };
}

/** Content in parts, as Mistral's reasoning models send it. */
function readPart(part: unknown): ModelEvent[] {
  if (!isObject(part)) return [];
  if (part.type === 'text')
    return typeof part.text === 'string' && part.text !== '' ? [{ type: 'text', delta: part.text }] : [];
  if (part.type !== 'thinking' || !Array.isArray(part.thinking)) return [];
  const text = part.thinking.map((each) => (isObject(each) && typeof each.text === 'string' ? each.text : '')).join('');
  return text === '' ? [] : [reasoned(text)];
}

function toReason(reason: string): FinishReason {
  switch (reason) {
    case 'stop':
    case 'length':
    case 'error':
      return reason;
    case 'content_filter':
      return 'content-filter';
    case 'tool_calls':
    case 'function_call':
      return 'tool-calls';
    default:
      return 'other';
  }
}

function toUsage(usage: Record<string, unknown>): Usage {
  const part = (details: unknown, name: string) => (isObject(details) ? count(details[name]) : 0);
  return {
    inputTokens: count(usage.prompt_tokens),
    outputTokens: count(usage.completion_tokens),
    cachedInputTokens: part(usage.prompt_tokens_details, 'cached_tokens'),
    reasoningTokens: part(usage.completion_tokens_details, 'reasoning_tokens'),
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && value >= 0 ? value : 0;
}

function hasFailed(error: unknown): boolean {
  return error !== undefined && error !== null && error !== '' && error !== false;
}

/** What a server passes on of a refusal has its number, by which it may be worth another try. */
function toFailure(error: unknown): unknown {
  if (!isObject(error)) return error;
  const { code } = error;
  const status = typeof code === 'number' && code >= 400 && code < 600 ? { statusCode: code } : {};
  return { message: complaintIn(error) ?? '', code, responseBody: JSON.stringify(error), ...status };
}

interface CallDelta {
  index?: unknown;
  id?: unknown;
  function?: unknown;
  extra_content?: unknown;
}

interface Call {
  id: string;
  index: number | undefined;
  name: string;
  arguments: string;
  /** The newest piece of them. */
  tail: string;
  signature: string | undefined;
}

/** The calls of tools in an answer that comes in pieces. They wait for its end. */
class ToolCallPieces {
  readonly #calls: Call[] = [];
  readonly #provider: string;

  /** As it is named in the options of a request. */
  constructor(provider: string) {
    this.#provider = provider;
  }

  /** Of whatever a server sends. */
  add(piece: unknown): void {
    if (!isObject(piece)) return;
    const delta: CallDelta = piece;
    const said = isObject(delta.function) ? delta.function : {};
    const id = textIn(delta.id);
    const name = textIn(said.name);
    const index = placeOf(delta.index);
    const text =
      typeof said.arguments === 'string'
        ? said.arguments
        : isObject(said.arguments)
          ? JSON.stringify(said.arguments)
          : '';
    const signature = signatureOf(delta.extra_content);
    const known = this.#find({ id, index, name });
    if (known && !isNext(known, { id, name, text })) {
      if (text !== '' && !isRepeated(known, { id, text })) {
        known.arguments += text;
        known.tail = text;
      }
      if (known.name === '') known.name = name ?? '';
      known.signature ??= signature;
      return;
    }
    // Some servers give all calls of an answer one id, and results could not be told apart.
    const isFree = id !== undefined && !this.#calls.some((call) => call.id === id);
    const call = { id: isFree ? id : newId('call'), index, name: name ?? '', arguments: text, tail: text, signature };
    this.#calls.push(call);
  }

  /** The calls in their order, when the answer is over. Throws for one that names no tool. */
  events(): ModelEvent[] {
    // Of a call without anything nobody is told: servers end an answer of words with one.
    const calls = this.#calls.filter(({ name, arguments: text }) => name !== '' || text.trim() !== '');
    if (calls.every(({ index }) => index !== undefined)) calls.sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
    return calls.map((call) => toEvent(call, this.#provider));
  }

  /** By its place, else by its id; a piece that has neither belongs to the call before it. */
  #find({ id, index, name }: { id: string | undefined; index: number | undefined; name: string | undefined }) {
    if (index !== undefined) return this.#calls.findLast((call) => call.index === index);
    if (id !== undefined) return this.#calls.findLast((call) => call.id === id);
    return name === undefined ? this.#calls.at(-1) : undefined;
  }
}

/**
 * Whether a piece at the place of a known call begins another one: there are servers that give every call the same place, and
 * servers that give every piece of a call another id.
 */
function isNext(
  known: Call,
  { id, name, text }: { id: string | undefined; name: string | undefined; text: string },
): boolean {
  if (name === undefined || known.name === '') return false;
  if (name !== known.name) return true;
  const isStart = text.trimStart().startsWith('{');
  if (id !== undefined && id !== known.id) return isStart || text === '' || isWhole(known);
  return isStart && isWhole(known) && !isRepeated(known, { id, text });
}

/** The whole call once more, under its id. */
function isRepeated(known: Call, { id, text }: { id: string | undefined; text: string }): boolean {
  return id === known.id && text === known.arguments && isWhole(known);
}

function isWhole({ arguments: text, tail }: Call): boolean {
  // A long text is not read again with each of its pieces.
  if (!tail.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function toEvent({ id, name, arguments: text, signature }: Call, provider: string): ModelEvent {
  if (name === '') throw new Error('The model called a tool without saying which.');
  const sealed = signature === undefined ? {} : { providerOptions: sealedFor(provider, signature) };
  return { type: 'tool-call', id, name, ...toInput(text), ...sealed };
}

/**
 * Goes back to this provider and to no other one, which might refuse what it does not know. The package that writes requests
 * looks under either name, by how the options of a request are named.
 */
function sealedFor(provider: string, thoughtSignature: string): ProviderOptions {
  const camelCase = provider.replace(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries([provider, camelCase].map((name) => [name, { thoughtSignature }]));
}

/** Gemini seals its thoughts into the call, and wants them back. */
function signatureOf(extra: unknown): string | undefined {
  const google = isObject(extra) ? extra.google : undefined;
  const signature = isObject(google) ? google.thought_signature : undefined;
  return typeof signature === 'string' ? signature : undefined;
}

/** A number in quotes is one, too. */
function placeOf(value: unknown): number | undefined {
  const place = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : value;
  return typeof place === 'number' ? place : undefined;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * What a server says went wrong: `{error: {message}}` as OpenAI does, in a list as Gemini does, `{message}` as vLLM,
 * `{detail: [{msg}]}` as FastAPI, `{message: {detail: [{msg}]}}` as Mistral.
 */
export function complaintIn(value: unknown, deepest = 6): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (typeof value !== 'object' || value === null || deepest === 0) return undefined;
  if (Array.isArray(value)) return complaintIn(value[0], deepest - 1);
  const said: { error?: unknown; message?: unknown; detail?: unknown; msg?: unknown } = value;
  for (const each of [said.error, said.message, said.detail, said.msg]) {
    const words = complaintIn(each, deepest - 1);
    if (words !== undefined) return words;
  }
  return undefined;
}
