import { normalPath, type ValueIssue } from './check-value.ts';
import { sameJson, valueAt } from './form-value.ts';

export interface ShownIssues {
  /** What the form itself finds. */
  issues: readonly ValueIssue[];
  /** Fields that a person left, or tried to send. */
  touched: ReadonlySet<string>;
  value: unknown;
  /** What the hub refused of the last input that was sent. */
  answered: { input: unknown; issues: readonly ValueIssue[] } | undefined;
}

/** By path. Nobody is told of a field before they were there; what the hub said holds until that field changes. */
export function shownIssues({ issues, touched, value, answered }: ShownIssues): Map<string, string> {
  const shown = new Map<string, string>();
  for (const { path, message } of answered?.issues ?? []) {
    const place = normalPath(path);
    const isSame = sameJson(at(answered?.input, place), at(value, place));
    if (isSame && !shown.has(place)) shown.set(place, message.replace(/\.$/, ''));
  }
  for (const { path, message } of issues) {
    if (touched.has(path) && !shown.has(path)) shown.set(path, message);
  }
  return shown;
}

function at(value: unknown, path: string): unknown {
  if (path === '') return value;
  return path
    .split('.')
    .reduce<unknown>((inner, part) => (Array.isArray(inner) ? inner[Number(part)] : valueAt(inner, part)), value);
}
