import type { FinishReason, ModelEvent, Usage } from '../engine/model.ts';
import { complaintIn } from './complaint-in.ts';
import { isObject, ToolCallPieces, textIn } from './tool-call-pieces.ts';

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
