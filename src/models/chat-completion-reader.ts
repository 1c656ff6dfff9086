import { newId } from '../base/ids.ts';
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
  signature: string | undefined;
}

/**
 * The answer of an OpenAI-compatible server, piece by piece. Text and reasoning are told as they come; calls wait for the end,
 * because an answer that breaks off has given none.
 */
export class ChatCompletionReader {
  readonly #calls: Call[] = [];
  #finish: string | undefined;
  #hasRefused = false;
  #usage: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };

  /** Throws what the server says failed. */
  add(value: unknown): ModelEvent[] {
    const piece: Piece = isObject(value) ? value : {};
    if (piece.error !== undefined && piece.error !== null) throw piece.error;
    if (isObject(piece.usage)) this.#usage = toUsage(piece.usage);
    const choice = Array.isArray(piece.choices) ? piece.choices[0] : undefined;
    if (!isObject(choice)) return [];
    if (typeof choice.finish_reason === 'string') this.#finish = choice.finish_reason;
    // A server that does not stream sends the whole message.
    const delta = choice.delta ?? choice.message;
    return isObject(delta) ? this.#read(delta) : [];
  }

  /** Throws when the answer was not complete. */
  end(): ModelEvent[] {
    if (this.#finish === undefined) throw new Error('The stream ended without a finish.');
    const reason = this.#hasRefused && this.#finish === 'stop' ? 'content-filter' : toReason(this.#finish);
    const calls = this.#calls.every(({ index }) => index !== undefined)
      ? this.#calls.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))
      : this.#calls;
    return [...calls.map(toEvent), { type: 'finish', reason, usage: this.#usage }];
  }

  #read(delta: Delta): ModelEvent[] {
    const events: ModelEvent[] = [];
    const reasoning = delta.reasoning_content ?? delta.reasoning;
    if (typeof reasoning === 'string' && reasoning !== '') events.push(reasoned(reasoning));
    if (typeof delta.content === 'string') {
      if (delta.content !== '') events.push({ type: 'text', delta: delta.content });
    } else if (Array.isArray(delta.content)) {
      for (const part of delta.content) events.push(...readPart(part));
    }
    if (typeof delta.refusal === 'string' && delta.refusal !== '') {
      this.#hasRefused = true;
      events.push({ type: 'text', delta: delta.refusal });
    }
    if (Array.isArray(delta.tool_calls)) for (const call of delta.tool_calls) if (isObject(call)) this.#addCall(call);
    return events;
  }

  #addCall(delta: CallDelta): void {
    const said = isObject(delta.function) ? delta.function : {};
    const id = words(delta.id);
    const name = words(said.name);
    const index = typeof delta.index === 'number' ? delta.index : undefined;
    const text =
      typeof said.arguments === 'string'
        ? said.arguments
        : isObject(said.arguments)
          ? JSON.stringify(said.arguments)
          : '';
    const signature = signatureOf(delta.extra_content);
    const known = this.#find({ id, index, name });
    if (known && !isNext(known, { id, name, text })) {
      known.arguments += text;
      if (known.name === '') known.name = name ?? '';
      known.signature ??= signature;
      return;
    }
    // Some servers give all calls of an answer one id, and results could not be told apart.
    const isFree = id !== undefined && !this.#calls.some((call) => call.id === id);
    this.#calls.push({ id: isFree ? id : newId('call'), index, name: name ?? '', arguments: text, signature });
  }

  /** By its place, else by its id; a piece that has neither belongs to the call before it. */
  #find({ id, index, name }: { id: string | undefined; index: number | undefined; name: string | undefined }) {
    if (index !== undefined) return this.#calls.findLast((call) => call.index === index);
    if (id !== undefined) return this.#calls.findLast((call) => call.id === id);
    return name === undefined ? this.#calls.at(-1) : undefined;
  }
}

/** Whether a piece at the place of a known call begins another one: there are servers that give every call the same place. */
function isNext(
  known: Call,
  { id, name, text }: { id: string | undefined; name: string | undefined; text: string },
): boolean {
  if (name === undefined || known.name === '') return false;
  if (id !== undefined && id !== known.id) return true;
  return text.trimStart().startsWith('{') && isWhole(known.arguments);
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function toEvent({ id, name, arguments: text, signature }: Call): ModelEvent {
  if (name === '') throw new Error('The model called a tool without saying which.');
  const providerOptions =
    signature === undefined ? {} : { providerOptions: { google: { thoughtSignature: signature } } };
  return { type: 'tool-call', id, name, ...toInput(text), ...providerOptions };
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

/** Gemini seals its thoughts into the call, and wants them back. */
function signatureOf(extra: unknown): string | undefined {
  const google = isObject(extra) ? extra.google : undefined;
  const signature = isObject(google) ? google.thought_signature : undefined;
  return typeof signature === 'string' ? signature : undefined;
}

function toReason(reason: string): FinishReason {
  switch (reason) {
    case 'stop':
    case 'length':
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

function words(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
