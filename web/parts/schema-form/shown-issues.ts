import { normalPath, type ValueIssue } from './check-value.ts';
import { sameJson, valueAt } from './form-value.ts';

export interface ShownIssues {
  /** Issues the form found. */
  issues: readonly ValueIssue[];
  /** Fields the user has left or tried to submit. */
  touched: ReadonlySet<string>;
  value: unknown;
  /** The last submitted input and the issues the hub reported. */
  rejected: { input: unknown; issues: readonly ValueIssue[] } | undefined;
}

/** Returns messages by path. A form issue shows once its field was touched; a hub issue shows until its field changes. */
export function shownIssues({ issues, touched, value, rejected }: ShownIssues): Map<string, string> {
  const shown = new Map<string, string>();
  for (const { path, message } of rejected?.issues ?? []) {
    const key = normalPath(path);
    const isSame = sameJson(at(rejected?.input, key), at(value, key));
    if (isSame && !shown.has(key)) shown.set(key, message.replace(/\.$/, ''));
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
