import { UsageError } from '../cli/terminal/report-error.ts';
import { printableLine } from '../cli/terminal/text-width.ts';
import { undeclaredArguments } from './check-arguments.ts';

/** Before a model is asked and paid: a misspelt argument would be left out in silence. */
export function refuseUndeclared(...given: Parameters<typeof undeclaredArguments>): void {
  const [first] = undeclaredArguments(...given);
  if (first !== undefined) throw new UsageError(printableLine(first));
}
