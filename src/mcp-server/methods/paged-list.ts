import type { JsonObject } from '../../base/json.ts';
import { invalidParams } from '../protocol/protocol.ts';

/** Large pages save round trips, but must stay far below the message size that clients accept. */
const maxItems = 5_000;
const maxCharacters = 1_000_000;
const maxCachedPages = 64;

/** Builds the pages of one list as JSON text, and caches them until the items change. */
export class PagedList {
  readonly #field: string;
  #state: readonly unknown[] = [];
  #keys: string[] = [];
  #items: string[] = [];
  #pages = new Map<number, string>();

  constructor(field: string) {
    this.#field = field;
  }

  /**
   * Returns one page as the JSON text of a result. `state` lists what the items depend on (revisions, objects): while all
   * of it is unchanged, `items` is not called. Throws -32602 for an invalid cursor.
   */
  page<T>(
    params: JsonObject,
    state: readonly unknown[],
    list: { items(): readonly T[]; key(item: T): string; toJson(item: T): object },
  ): string {
    if (!this.#isCurrent(state)) {
      const items = list.items();
      this.#keys = items.map(list.key);
      this.#items = items.map((item) => JSON.stringify(list.toJson(item)));
      this.#pages = new Map();
      this.#state = state;
    }
    const start = startOf(params.cursor, this.#keys);
    const known = this.#pages.get(start);
    if (known !== undefined) return known;
    const text = this.#build(start);
    if (this.#pages.size < maxCachedPages) this.#pages.set(start, text);
    return text;
  }

  #isCurrent(state: readonly unknown[]): boolean {
    return state.length === this.#state.length && state.every((part, index) => part === this.#state[index]);
  }

  #build(start: number): string {
    let end = start;
    for (let characters = 0; end < this.#items.length && end - start < maxItems; end += 1) {
      characters += this.#items[end]?.length ?? 0;
      if (characters > maxCharacters && end > start) break;
    }
    const items = this.#items.slice(start, end).join(',');
    const next = end < this.#items.length ? `,"nextCursor":"${cursorAfter(end, this.#keys[end - 1] ?? '')}"` : '';
    return `{"${this.#field}":[${items}]${next}}`;
  }
}

/** Contains the position and the last item, so that paging continues after that item even if the list has changed. */
function cursorAfter(end: number, lastKey: string): string {
  return Buffer.from(`${end}:${lastKey}`).toString('base64url');
}

function startOf(cursor: unknown, keys: readonly string[]): number {
  if (cursor === undefined) return 0;
  const text = typeof cursor === 'string' ? Buffer.from(cursor.slice(0, 2_000), 'base64url').toString() : '';
  const match = /^(\d{1,9}):(.*)$/s.exec(text);
  if (!match) throw invalidParams('Invalid "cursor". Start again without it.');
  const end = Number(match[1]);
  if (keys[end - 1] === match[2]) return end;
  const moved = keys.indexOf(match[2] ?? '');
  return moved === -1 ? Math.min(end, keys.length) : moved + 1;
}
