const newline = 10;

export interface CappedLines {
  /** Longer lines are never kept whole, however they arrive. */
  maxBytes: number;
  onLine(line: Buffer): void;
  /** Its first bytes, as soon as the limit is passed; the rest up to the next line is skipped. */
  onTooLong(head: Buffer): void;
}

/** Cuts bytes into lines while they come in. Memory never exceeds `maxBytes` and one chunk. */
export function cutLines({ maxBytes, onLine, onTooLong }: CappedLines): (chunk: Buffer) => void {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let isSkipping = false;

  function take(piece: Buffer): void {
    if (isSkipping) return;
    if (keptBytes + piece.length > maxBytes) {
      // Only a head is handed on: joining megabytes that are thrown away would cost as much as keeping them.
      const head = Buffer.concat([...kept, piece.subarray(0, headBytes)].slice(0, 4)).subarray(0, headBytes);
      drop();
      isSkipping = true;
      onTooLong(head);
      return;
    }
    kept.push(piece);
    keptBytes += piece.length;
  }

  function drop(): void {
    kept = [];
    keptBytes = 0;
  }

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const piece = chunk.subarray(start, end);
      start = end + 1;
      if (keptBytes === 0 && !isSkipping && piece.length <= maxBytes) {
        onLine(piece);
        continue;
      }
      take(piece);
      if (isSkipping) {
        isSkipping = false;
        continue;
      }
      const line = Buffer.concat(kept, keptBytes);
      drop();
      onLine(line);
    }
    if (start < chunk.length) take(start === 0 ? chunk : chunk.subarray(start));
  };
}

const headBytes = 4_096;
