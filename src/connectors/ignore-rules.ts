import { HubError } from '../base/hub-error.ts';
import { type Effort, type IgnorePath, type IgnoreRule, parseIgnoreFile, toBytes } from './ignore-pattern.ts';

/** In order of precedence: the first kind with a matching rule decides. Within a kind, the file nearest to the path decides. */
export const ignoreFileNames = ['.zooignore', '.ignore', '.gitignore'] as const;
type RuleKind = (typeof ignoreFileNames)[number] | '.git/info/exclude';
const kinds: readonly RuleKind[] = [...ignoreFileNames, '.git/info/exclude'];

/** The contents of the ignore files in one folder. */
export type IgnoreFiles = Partial<Record<RuleKind, Uint8Array | undefined>>;

export interface IgnoreVerdict {
  isIgnored: boolean;
  /** The rule with file and line, such as `"*.log" in docs/.gitignore, line 3`. */
  because: string;
}

/** File names on macOS and Windows ignore case, and so does git there. */
const ignoreCase = process.platform === 'darwin' || process.platform === 'win32';

/** The maximum number of steps to judge one path: a few milliseconds. Keeps hostile rules and names from stalling a sync. */
const maxEffort = 500_000;

/**
 * The ignore rules of one folder, including those of the folders above. Callers must not enter an ignored folder, because
 * rules below it cannot re-include anything.
 */
export class IgnoreRules {
  readonly #above: IgnoreRules | undefined;
  /** The path of this folder relative to the topmost one: empty, or with a trailing slash. */
  readonly #base: string;
  readonly #baseBytes: number;
  readonly #rules = new Map<RuleKind, readonly IgnoreRule[]>();
  readonly #isRepository: boolean;
  /** The number of rules in this folder and those above. */
  readonly #count: number;

  /**
   * `isRepository`: git's rules above this folder do not apply in it. Throws UNAVAILABLE with a message that begins with
   * "Its" when a file exceeds the limits, because its effect is then unknown.
   */
  constructor(
    files: IgnoreFiles = {},
    options: { above?: IgnoreRules | undefined; name?: string; isRepository?: boolean } = {},
  ) {
    this.#above = options.above;
    this.#base = options.name === undefined ? '' : `${options.above?.base ?? ''}${options.name}/`;
    this.#baseBytes = Buffer.byteLength(this.#base);
    this.#isRepository = options.isRepository ?? false;
    let count = options.above ? options.above.#count : 0;
    for (const kind of kinds) {
      const content = files[kind];
      const rules = content ? parse(kind, content, count) : [];
      if (rules.length > 0) this.#rules.set(kind, rules);
      count += rules.length;
    }
    this.#count = count;
  }

  get base(): string {
    return this.#base;
  }

  /** Returns the rules for a subfolder. Throws like the constructor. */
  enter(name: string, files: IgnoreFiles = {}, isRepository = false): IgnoreRules {
    return new IgnoreRules(files, { above: this, name, isRepository });
  }

  /**
   * Judges an entry of this folder. Returns undefined when no rule matches. Throws UNAVAILABLE when it takes too long.
   */
  judge(name: string, isFolder: boolean): IgnoreVerdict | undefined {
    const path = { bytes: toBytes(this.#base + name), name: toBytes(name), isFolder };
    const effort = { left: maxEffort };
    for (const kind of kinds) {
      const found = this.#find(kind, path, effort);
      if (found) return found;
    }
    return undefined;
  }

  #find(kind: RuleKind, path: IgnorePath, effort: Effort): IgnoreVerdict | undefined {
    const isGitKind = kind === '.gitignore' || kind === '.git/info/exclude';
    for (let scope: IgnoreRules | undefined = this; scope; scope = scope.#above) {
      const rules = scope.#rules.get(kind);
      if (rules) {
        const inScope = { ...path, bytes: path.bytes.slice(scope.#baseBytes) };
        const rule = rules.findLast((each) => each.matches(inScope, effort) || effort.left < 0);
        if (effort.left < 0) throw tooHard(`${scope.#base}${kind}`, rule);
        if (rule) {
          const because = `"${rule.text}" in ${scope.#base}${kind}, line ${rule.line}`;
          return { isIgnored: !rule.isNegated, because };
        }
      }
      if (isGitKind && scope.#isRepository) return undefined;
    }
    return undefined;
  }
}

function parse(kind: RuleKind, content: Uint8Array, already: number): IgnoreRule[] {
  try {
    return parseIgnoreFile(content, { ignoreCase, already });
  } catch (error) {
    throw error instanceof HubError ? new HubError(error.code, `Its ${kind} ${error.message}`) : error;
  }
}

function tooHard(file: string, rule: IgnoreRule | undefined): HubError {
  const where = rule === undefined ? file : `${file}, line ${rule.line}`;
  return new HubError(
    'UNAVAILABLE',
    `Checking whether it is ignored takes too long: too many rules with too many wildcards (up to ${where}). Simplify the rules.`,
  );
}
