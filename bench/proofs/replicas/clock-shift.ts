/** Shifts the clock of this process, as if its machine were set wrong. Loaded with `--import` before anything else. */
const shiftMs = Number(process.env.PROOF_CLOCK_SHIFT_MS ?? 0);
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...values: [] | [value: number | string | Date]) {
    if (values.length === 0) super(RealDate.now() + shiftMs);
    else super(...values);
  }

  static override now(): number {
    return RealDate.now() + shiftMs;
  }
}

if (shiftMs !== 0)
  globalThis.Date = new Proxy(ShiftedDate, { apply: () => new ShiftedDate().toString() }) as DateConstructor;
