import { UsageError } from '../cli/terminal/report-error.ts';
import { printableLine } from '../cli/terminal/text-width.ts';
import { undeclaredArguments } from './check-arguments.ts';

/** Throws UsageError for an unknown argument, before a model is paid: otherwise a misspelt argument would be silently ignored. */
export function refuseUndeclared(...given: Parameters<typeof undeclaredArguments>): void {
  const [first] = undeclaredArguments(...given);
  if (first !== undefined) throw new UsageError(printableLine(first));
}
