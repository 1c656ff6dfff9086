/** A server-sent event. */
export interface ServerEvent {
  type: string;
  id: string | undefined;
  retry: string | undefined;
  /** Empty if the server sent none. */
  data: string;
}

/** Reads server-sent events from text that arrives in pieces. Returns each event when it is complete. */
export class EventReader {
  readonly #maxCharacters: number;
  /** The start of an unfinished line. It is not read until it is complete, because reading a concatenated string copies it. */
  #rest = '';
  #endsWithReturn = false;
  #event = new EventLines();
  #characters = 0;

  /** @param maxCharacters The limit for one event. */
  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  /** Throws a RangeError for an event over the limit. */
  *read(piece: string): Generator<ServerEvent> {
    const text = this.#withNewlines(piece);
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = this.#rest + text.slice(start, end);
      this.#rest = '';
      start = end + 1;
      this.#characters += line.length;
      if (line !== '') {
        this.#event.add(line);
        continue;
      }
      this.#refuseLong();
      const event = this.#event.whole();
      this.#event = new EventLines();
      this.#characters = 0;
      if (event) yield event;
    }
    this.#rest += text.slice(start);
    this.#refuseLong();
  }

  /** The first data of the unfinished event. */
  get unfinishedData(): string {
    return this.#event.data[0] ?? this.#rest.slice(0, 1_000).replace(/^data: ?/, '');
  }

  #refuseLong(): void {
    if (this.#characters + this.#rest.length <= this.#maxCharacters) return;
    throw new RangeError(`An event is longer than ${this.#maxCharacters.toLocaleString('en')} characters.`);
  }

  /** Turns `\r\n` and `\r` into `\n`. The two characters of `\r\n` may arrive in two pieces. */
  #withNewlines(piece: string): string {
    if (piece === '') return piece;
    const text = this.#endsWithReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    this.#endsWithReturn = piece.endsWith('\r');
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  }
}

class EventLines {
  readonly data: string[] = [];
  #isEmpty = true;
  #type = '';
  #id: string | undefined;
  #retry: string | undefined;

  add(line: string): void {
    const colon = line.indexOf(':');
    // A comment: servers send them to keep the connection open.
    if (colon === 0) return;
    this.#isEmpty = false;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') this.data.push(value);
    else if (name === 'event') this.#type = value;
    else if (name === 'id') this.#id = value;
    else if (name === 'retry') this.#retry = value;
  }

  /** Undefined if there were only comments. */
  whole(): ServerEvent | undefined {
    if (this.#isEmpty) return undefined;
    return { type: this.#type, id: this.#id, retry: this.#retry, data: this.data.join('\n') };
  }
}
