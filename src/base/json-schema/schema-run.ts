import type { FieldIssue } from '../validate.ts';
import type { LinearPattern } from './linear-pattern.ts';
import type { SchemaObject, SchemaResource } from './schema-document.ts';

/** The path of a value inside the whole, from the inside out. */
export interface ValuePath {
  outer: ValuePath | null;
  key: string | number;
}

/** One rule of a schema. If `seen` is set, the rule adds the properties and items that it evaluated. */
export type Check = (value: unknown, path: ValuePath | null, run: SchemaRun, seen: Seen | undefined) => boolean;

/** The rules of one schema. Those in `late` use what the others have seen. */
export interface Rules {
  resource: SchemaResource;
  checks: readonly Check[];
  late: readonly Check[];
}

/** Makes the rule for one keyword. Returns undefined if the keyword's value gives nothing to check. */
export type MakeRule = (maker: RuleMaker, value: unknown) => Check | undefined;

/** What a keyword needs to become a rule. */
export interface RuleMaker {
  schema: SchemaObject;
  /** Returns the rules of a schema inside this one. */
  inside(child: unknown): Rules;
  /** Returns the rules that a reference leads to, or undefined if it leads nowhere. */
  referred(reference: string): { rules: Rules; dynamicName: string | undefined } | undefined;
  /** Returns the rules of a dynamic anchor, which is only known during a check. */
  anchored(resource: SchemaResource, name: string): Rules | undefined;
  /** Returns undefined if patterns are not checked here. */
  pattern(source: string): LinearPattern | undefined;
}

export interface RunLimits {
  /** The number of applied rules and other work of the same cost. */
  steps: number;
  /** The number of nested schemas at one moment. */
  depth: number;
}

/** Thrown when a check exceeds its limits. */
export class OverBudget extends Error {}

const maxIssues = 20;

/** Checks one value. */
export class SchemaRun {
  /** Null while only the result matters. */
  issues: FieldIssue[] | null = [];
  /** Whether a rule was skipped because it cannot be checked: "fits" then means "may fit". */
  isUnsure = false;
  readonly scope: SchemaResource[] = [];
  readonly #limits: RunLimits;
  #steps = 0;
  #depth = 0;

  constructor(limits: RunLimits) {
    this.#limits = limits;
  }

  spend(work: number): void {
    this.#steps += work;
    if (this.#steps > this.#limits.steps) {
      throw new OverBudget(`takes more than ${this.#limits.steps.toLocaleString('en')} steps to check`);
    }
  }

  /** Adds an issue. Always returns false, so that rules can return the result. */
  report(path: ValuePath | null, message: string | (() => string)): false {
    if (!this.issues || this.issues.length >= maxIssues) return false;
    const text = textOfPath(path);
    this.spend(text.length / 64);
    this.issues.push({ path: text, message: typeof message === 'string' ? message : message() });
    return false;
  }

  /** Adds the issues of another attempt, up to the limit. */
  adopt(issues: readonly FieldIssue[]): void {
    if (this.issues) this.issues.push(...issues.slice(0, maxIssues - this.issues.length));
  }

  apply(rules: Rules, value: unknown, path: ValuePath | null, seen?: Seen): boolean {
    this.spend(1 + rules.checks.length + rules.late.length);
    this.#depth += 1;
    if (this.#depth > this.#limits.depth) {
      throw new OverBudget(`takes more than ${this.#limits.depth} nested schemas to check`);
    }
    const isOther = this.scope.at(-1) !== rules.resource;
    if (isOther) this.scope.push(rules.resource);
    const seenHere = rules.late.length > 0 ? new Seen() : seen;
    let fits = true;
    for (const check of rules.checks) {
      if (check(value, path, this, seenHere)) continue;
      fits = false;
      if (this.issues === null) break;
    }
    if (fits) for (const check of rules.late) fits = check(value, path, this, seenHere) && fits;
    if (fits && seen && seenHere && seenHere !== seen) this.#merge(seenHere, seen);
    if (isOther) this.scope.pop();
    this.#depth -= 1;
    return fits;
  }

  /** Applies rules without adding their issues to those of this run. */
  try(
    rules: Rules,
    value: unknown,
    path: ValuePath | null,
    options: { seen?: Seen | undefined; isMute?: boolean },
  ): Attempt {
    const { issues, isUnsure } = this;
    this.issues = options.isMute || issues === null ? null : [];
    this.isUnsure = false;
    const seen = options.seen && new Seen();
    const fits = this.apply(rules, value, path, seen);
    const attempt: Attempt = { fits, isUnsure: fits && this.isUnsure, issues: this.issues ?? [] };
    this.issues = issues;
    this.isUnsure = isUnsure || attempt.isUnsure;
    if (fits && seen && options.seen) this.#merge(seen, options.seen);
    return attempt;
  }

  #merge(from: Seen, to: Seen): void {
    this.spend((from.names.size + from.indexes.size) / 4);
    to.add(from);
  }
}

export interface Attempt {
  fits: boolean;
  /** Whether a value that fits may still break a rule that was skipped. A value that does not fit is never unsure. */
  isUnsure: boolean;
  issues: FieldIssue[];
}

/** The properties and items that rules have evaluated. */
export class Seen {
  readonly names = new Set<string>();
  readonly indexes = new Set<number>();
  hasAllNames = false;
  /** All items before this one were seen. */
  items = 0;

  add(other: Seen): void {
    for (const name of other.names) this.names.add(name);
    for (const index of other.indexes) this.indexes.add(index);
    this.hasAllNames ||= other.hasAllNames;
    this.items = Math.max(this.items, other.items);
  }
}

function textOfPath(path: ValuePath | null): string {
  const keys: string[] = [];
  for (let each = path; each; each = each.outer) keys.push(shorten(String(each.key)));
  return keys.reverse().join('.');
}

function shorten(key: string): string {
  return key.length > 80 ? `${key.slice(0, 80)}…` : key;
}
