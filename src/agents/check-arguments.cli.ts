import { UsageError } from '../cli/terminal/report-error.ts';
import { printableLine } from '../cli/terminal/text-width.ts';
import { undeclaredArguments } from './check-arguments.ts';

/** Throws UsageError for an unknown argument, so that a misspelt one is not silently ignored. */
export function refuseUndeclared(...values: Parameters<typeof undeclaredArguments>): void {
  const [first] = undeclaredArguments(...values);
  if (first !== undefined) throw new UsageError(printableLine(first));
}
