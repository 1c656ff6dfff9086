import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

/**
 * Makes this process look as if it ran on another machine, whose clock is set wrong. Others can then not ask the operating system
 * whether it runs. Loaded with `--import` before anything else.
 */
const host = process.env.PROOF_HOST;
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

if (host !== undefined) {
  os.hostname = () => host;
  syncBuiltinESMExports();
}
