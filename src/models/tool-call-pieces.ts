import { newId } from '../base/ids.ts';
import type { ProviderOptions } from '../engine/message.ts';
import type { ModelEvent } from '../engine/model.ts';
import { toInput } from './tool-input.ts';

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
export class ToolCallPieces {
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

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
