import { type CliContext, colorsFor } from './context.ts';
import { fitText } from './text-width.ts';

export interface ProgressBar {
  /** `total` 0: not known yet. */
  show(label: string, now: number, total: number): void;
  /** Takes the bar away, so that what follows has the line to itself. */
  clear(): void;
}

const width = 24;
const betweenMs = 80;

/** One line that is written over and over, on a terminal; nothing elsewhere. */
export function progressBar(context: CliContext): ProgressBar {
  const { stderr } = context;
  const colors = colorsFor(context, stderr);
  let shownAt = 0;
  let isShown = false;
  return {
    show(label, now, total) {
      if (!stderr.isTTY || Date.now() - shownAt < betweenMs) return;
      shownAt = Date.now();
      isShown = true;
      const share = total === 0 ? 0 : Math.min(1, now / total);
      const full = Math.round(share * width);
      const bar = colors.cyan('█'.repeat(full)) + colors.dim('░'.repeat(width - full));
      const counts = total === 0 ? count(now) : `${count(now)} of ${count(total)}`;
      stderr.write(
        `\r\u001b[2K${bar} ${fitText(`${label}  ${counts}`, Math.max(20, (stderr.columns ?? 80) - width - 2))}`,
      );
    },
    clear() {
      if (isShown) stderr.write('\r\u001b[2K');
      isShown = false;
    },
  };
}

export function count(number: number): string {
  return number.toLocaleString('en-US');
}

/** With a thing that takes an s when there is not just one of it. */
export function countOf(number: number, thing: string): string {
  return `${count(number)} ${thing}${number === 1 ? '' : 's'}`;
}
