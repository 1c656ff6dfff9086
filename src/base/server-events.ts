/** One server-sent event, as far as its lines have come. */
export interface ServerEvent {
  type: string;
  id: string | undefined;
  retry: string | undefined;
  data: string[];
}

export function emptyEvent(): ServerEvent {
  return { type: '', id: undefined, retry: undefined, data: [] };
}

/** Adds a line that is not empty, without its end. */
export function readField(event: ServerEvent, line: string): void {
  const colon = line.indexOf(':');
  // A comment, which servers send to keep the connection open.
  if (colon === 0) return;
  const name = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
  if (name === 'data') event.data.push(value);
  else if (name === 'event') event.type = value;
  else if (name === 'id') event.id = value;
  else if (name === 'retry') event.retry = value;
}

/** The data of the events in a text that comes in pieces, each event with its end. Events without data are none. */
export class EventReader {
  readonly #mostCharacters: number;
  /** Of a line whose end has not come. Nothing looks into it before: joined texts are copied by the first look at them. */
  #rest = '';
  #endsWithReturn = false;
  #event = emptyEvent();
  #characters = 0;

  /** Of one event; a longer one is an error. */
  constructor(mostCharacters: number) {
    this.#mostCharacters = mostCharacters;
  }

  /** Throws RangeError for an event over the limit. */
  *read(piece: string): Generator<string> {
    const text = this.#withNewlines(piece);
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const line = this.#rest + text.slice(start, end);
      this.#rest = '';
      start = end + 1;
      this.#characters += line.length;
      if (line !== '') {
        readField(this.#event, line);
        continue;
      }
      const data = this.#event.data.join('\n');
      this.#event = emptyEvent();
      this.#characters = 0;
      if (data !== '') yield data;
    }
    this.#rest += text.slice(start);
    if (this.#characters + this.#rest.length > this.#mostCharacters) {
      throw new RangeError(`An event is longer than ${this.#mostCharacters.toLocaleString('en')} characters.`);
    }
  }

  /** Lines end with `\n`, `\r\n` or `\r`, and the two characters may come in two pieces. */
  #withNewlines(piece: string): string {
    if (piece === '') return piece;
    const text = this.#endsWithReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    this.#endsWithReturn = piece.endsWith('\r');
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  }
}
