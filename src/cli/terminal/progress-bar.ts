import { type CliContext, colorsFor } from './context.ts';
import { fitText } from './text-width.ts';

export interface ProgressBar {
  /** A `total` of 0 means that it is not known yet. */
  show(label: string, now: number, total: number): void;
  /** Removes the bar, so that the next output starts on an empty line. */
  clear(): void;
}

const width = 24;
const betweenMs = 80;

/** Shows a progress bar on a terminal, and nothing elsewhere. */
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

/** Formats a number with a noun: `1 tool`, `2 tools`. */
export function countOf(number: number, thing: string): string {
  return `${count(number)} ${thing}${number === 1 ? '' : 's'}`;
}
