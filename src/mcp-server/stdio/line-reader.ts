import { StringDecoder } from 'node:string_decoder';
import { defaultJsonLimits } from '../../base/json.ts';

const maxLineCharacters = defaultJsonLimits.maxCharacters;

/** Splits a byte stream into lines. Drops a line that exceeds the limit as it arrives, so that memory stays bounded. */
export class LineReader {
  readonly #decoder = new StringDecoder('utf8');
  readonly #line: (text: string) => void;
  readonly #tooLong: () => void;
  #pieces: string[] = [];
  #length = 0;
  #isSkipping = false;

  constructor(handlers: { line(text: string): void; tooLong(): void }) {
    this.#line = handlers.line;
    this.#tooLong = handlers.tooLong;
  }

  push(chunk: Buffer | string): void {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.write(chunk);
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#add(text.slice(start, end));
      this.#finish();
      start = end + 1;
    }
    if (start < text.length) this.#add(text.slice(start));
  }

  /** Delivers the last line, which may lack a line break. */
  end(): void {
    this.#add(this.#decoder.end());
    this.#finish();
  }

  #add(piece: string): void {
    if (this.#isSkipping) return;
    this.#length += piece.length;
    if (this.#length > maxLineCharacters) {
      this.#isSkipping = true;
      this.#pieces = [];
    } else {
      this.#pieces.push(piece);
    }
  }

  #finish(): void {
    const line = this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join('');
    const isTooLong = this.#isSkipping;
    this.#pieces = [];
    this.#length = 0;
    this.#isSkipping = false;
    if (isTooLong) this.#tooLong();
    else if (line !== '' && line !== '\r') this.#line(line);
  }
}
