/** The best so many of what is offered, by score and then by `isBefore`, in memory for so many alone. */
export class TopRows {
  readonly #limit: number;
  readonly #isBefore: (row: number, other: number) => boolean;
  /** A heap whose root is the worst that is kept. */
  readonly #scores: number[] = [];
  readonly #rows: number[] = [];

  constructor(limit: number, isBefore: (row: number, other: number) => boolean) {
    this.#limit = limit;
    this.#isBefore = isBefore;
  }

  /** What scores less need not be offered. */
  get threshold(): number {
    return this.#rows.length < this.#limit ? Number.NEGATIVE_INFINITY : (this.#scores[0] as number);
  }

  offer(score: number, row: number): void {
    if (this.#limit < 1) return;
    if (this.#rows.length < this.#limit) {
      this.#rows.push(row);
      this.#scores.push(score);
      this.#rise(this.#rows.length - 1);
    } else if (this.#isWorse(this.#scores[0] as number, this.#rows[0] as number, score, row)) {
      this.#scores[0] = score;
      this.#rows[0] = row;
      this.#sink();
    }
  }

  /** The best first. */
  sorted(): { row: number; score: number }[] {
    return this.#rows
      .map((row, at) => ({ row, score: this.#scores[at] as number }))
      .sort((a, b) => (this.#isWorse(a.score, a.row, b.score, b.row) ? 1 : -1));
  }

  #isWorse(score: number, row: number, otherScore: number, otherRow: number): boolean {
    return score < otherScore || (score === otherScore && this.#isBefore(otherRow, row));
  }

  #isWorseAt(at: number, other: number): boolean {
    const [scores, rows] = [this.#scores, this.#rows];
    return this.#isWorse(scores[at] as number, rows[at] as number, scores[other] as number, rows[other] as number);
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.#isWorseAt(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(): void {
    for (let at = 0; ; ) {
      let worst = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < this.#rows.length && this.#isWorseAt(child, worst)) worst = child;
      }
      if (worst === at) return;
      this.#swap(at, worst);
      at = worst;
    }
  }

  #swap(at: number, other: number): void {
    for (const list of [this.#scores, this.#rows]) {
      const value = list[at] as number;
      list[at] = list[other] as number;
      list[other] = value;
    }
  }
}
