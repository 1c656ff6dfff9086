import { newId } from '../base/ids.ts';
import { isRecord } from '../base/is-record.ts';
import type { ProviderOptions } from '../engine/message.ts';
import type { FinishReason, ModelEvent, Usage } from '../engine/model.ts';
import { toInput } from './tool-input.ts';

/** The fields that are read from a chunk of an answer. Servers differ, so every field is checked. */
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
 * Reads the answer of an OpenAI-compatible server chunk by chunk. Text and reasoning are emitted immediately; calls are held back until
 * the end, because an answer that breaks off has made no calls.
 */
export class ChatCompletionReader {
  readonly #calls: ToolCallPieces;
  #finish: string | undefined;
  #hasRefused = false;
  #usage: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };

  /** `provider` is the name used in the options of a request. */
  constructor(provider: string) {
    this.#calls = new ToolCallPieces(provider);
  }

  /** Returns the events of a chunk. Throws the error that the server reports. */
  add(value: unknown): ModelEvent[] {
    const piece: Piece = isRecord(value) ? value : {};
    if (hasFailed(piece.error)) throw toFailure(piece.error);
    if (piece.choices === undefined && errorMessageIn(piece) !== undefined) throw toFailure(piece);
    if (isRecord(piece.usage)) this.#usage = toUsage(piece.usage);
    const choice = Array.isArray(piece.choices) ? piece.choices[0] : undefined;
    if (!isRecord(choice)) return [];
    if (hasFailed(choice.error)) throw toFailure(choice.error);
    this.#finish = textIn(choice.finish_reason) ?? this.#finish;
    // A server that does not stream sends the whole message.
    const delta = choice.delta ?? choice.message;
    return isRecord(delta) ? this.#read(delta) : [];
  }

  /** Returns the remaining events. Throws if the answer is incomplete. */
  end(): ModelEvent[] {
    if (this.#finish === undefined) throw new Error('The stream ended without a finish.');
    const reason = this.#hasRefused && this.#finish === 'stop' ? 'content-filter' : toReason(this.#finish);
    return [...this.#calls.events(), { type: 'finish', reason, usage: this.#usage }];
  }

  #read(delta: Delta): ModelEvent[] {
    const events: ModelEvent[] = [];
    // If both are set, they are equal or one is empty.
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

/** Reads content in parts, as Mistral's reasoning models send it. */
function readPart(part: unknown): ModelEvent[] {
  if (!isRecord(part)) return [];
  if (part.type === 'text')
    return typeof part.text === 'string' && part.text !== '' ? [{ type: 'text', delta: part.text }] : [];
  if (part.type !== 'thinking' || !Array.isArray(part.thinking)) return [];
  const text = part.thinking.map((each) => (isRecord(each) && typeof each.text === 'string' ? each.text : '')).join('');
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
  const part = (details: unknown, name: string) => (isRecord(details) ? count(details[name]) : 0);
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

/** Keeps the status code of an error that the server passes on, because it decides whether to retry. */
function toFailure(error: unknown): unknown {
  if (!isRecord(error)) return error;
  const { code } = error;
  const status = typeof code === 'number' && code >= 400 && code < 600 ? { statusCode: code } : {};
  return { message: errorMessageIn(error) ?? '', code, responseBody: JSON.stringify(error), ...status };
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
  /** The last piece of the arguments. */
  tail: string;
  signature: string | undefined;
}

/** Collects the tool calls of an answer that arrives in pieces. */
class ToolCallPieces {
  readonly #calls: Call[] = [];
  readonly #provider: string;

  /** `provider` is the name used in the options of a request. */
  constructor(provider: string) {
    this.#provider = provider;
  }

  /** Accepts anything that a server sends. */
  add(piece: unknown): void {
    if (!isRecord(piece)) return;
    const delta: CallDelta = piece;
    const functionPart = isRecord(delta.function) ? delta.function : {};
    const id = textIn(delta.id);
    const name = textIn(functionPart.name);
    const index = indexOf(delta.index);
    const text =
      typeof functionPart.arguments === 'string'
        ? functionPart.arguments
        : isRecord(functionPart.arguments)
          ? JSON.stringify(functionPart.arguments)
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
    // Some servers use the same id for all calls of an answer; results could not be told apart.
    const isFree = id !== undefined && !this.#calls.some((call) => call.id === id);
    const call = { id: isFree ? id : newId('call'), index, name: name ?? '', arguments: text, tail: text, signature };
    this.#calls.push(call);
  }

  /** Returns the calls in order, when the answer is complete. Throws for a call without a tool name. */
  events(): ModelEvent[] {
    // Skips empty calls: some servers end a text answer with one.
    const calls = this.#calls.filter(({ name, arguments: text }) => name !== '' || text.trim() !== '');
    if (calls.every(({ index }) => index !== undefined)) calls.sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
    return calls.map((call) => toEvent(call, this.#provider));
  }

  /** Finds the call by index, else by id; a piece with neither belongs to the previous call. */
  #find({ id, index, name }: { id: string | undefined; index: number | undefined; name: string | undefined }) {
    if (index !== undefined) return this.#calls.findLast((call) => call.index === index);
    if (id !== undefined) return this.#calls.findLast((call) => call.id === id);
    return name === undefined ? this.#calls.at(-1) : undefined;
  }
}

/**
 * Tells whether a piece at the index of a known call starts another call: some servers give every call the same index, and some give
 * every piece of a call another id.
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

/** Tells whether a piece repeats the complete call. */
function isRepeated(known: Call, { id, text }: { id: string | undefined; text: string }): boolean {
  return id === known.id && text === known.arguments && isWhole(known);
}

function isWhole({ arguments: text, tail }: Call): boolean {
  // Avoids parsing a long text again for each piece.
  if (!tail.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function toEvent({ id, name, arguments: text, signature }: Call, provider: string): ModelEvent {
  if (name === '') throw new Error('The model called a tool without naming it.');
  const options = signature === undefined ? {} : { providerOptions: signatureOptions(provider, signature) };
  return { type: 'tool-call', id, name, ...toInput(text), ...options };
}

/**
 * Returns options that are sent back to this provider only; another one might reject them. The package that writes requests looks under
 * either spelling of the name.
 */
function signatureOptions(provider: string, thoughtSignature: string): ProviderOptions {
  const camelCase = provider.replace(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries([provider, camelCase].map((name) => [name, { thoughtSignature }]));
}

/** Gemini attaches a signature of its thoughts to a call and expects it back. */
function signatureOf(extra: unknown): string | undefined {
  const google = isRecord(extra) ? extra.google : undefined;
  const signature = isRecord(google) ? google.thought_signature : undefined;
  return typeof signature === 'string' ? signature : undefined;
}

/** Accepts numbers in quotes. */
function indexOf(value: unknown): number | undefined {
  const index = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : value;
  return typeof index === 'number' ? index : undefined;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/**
 * Finds the error message in a server's reply: `{error: {message}}` as OpenAI does, in a list as Gemini does, `{message}` as vLLM,
 * `{detail: [{msg}]}` as FastAPI, `{message: {detail: [{msg}]}}` as Mistral.
 */
export function errorMessageIn(value: unknown, maxDepth = 6): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (typeof value !== 'object' || value === null || maxDepth === 0) return undefined;
  if (Array.isArray(value)) return errorMessageIn(value[0], maxDepth - 1);
  const fields: { error?: unknown; message?: unknown; detail?: unknown; msg?: unknown } = value;
  for (const each of [fields.error, fields.message, fields.detail, fields.msg]) {
    const message = errorMessageIn(each, maxDepth - 1);
    if (message !== undefined) return message;
  }
  return undefined;
}
