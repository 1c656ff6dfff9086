const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A growing buffer of variable-length numbers, seven bits per byte. */
export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(capacity = 1_024) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** Writes an integer from 0 to 2^53 - 1. */
  writeNumber(value: number): void {
    if (this.length + 8 > this.#bytes.length) this.#grow(8);
    let rest = value;
    while (rest > 0x7fffffff) {
      this.#bytes[this.length++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    while (rest > 0x7f) {
      this.#bytes[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.length++] = rest;
  }

  writeSigned(value: number): void {
    this.writeNumber(value < 0 ? -2 * value - 1 : 2 * value);
  }

  writeText(text: string): void {
    const bytes = encoder.encode(text);
    this.writeNumber(bytes.length);
    if (this.length + bytes.length > this.#bytes.length) this.#grow(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Returns a copy of the bytes written so far. */
  take(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.length);
  }

  #grow(room: number): void {
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.length + room));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  readNumber(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#bytes[this.#position++];
      if (byte === undefined) throw new RangeError('The bytes end in the middle of a number.');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  }

  readSigned(): number {
    const value = this.readNumber();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  readText(): string {
    const length = this.readNumber();
    const start = this.#position;
    this.#position += length;
    return decoder.decode(this.#bytes.subarray(start, this.#position));
  }
}
