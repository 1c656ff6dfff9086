import { HubError } from '../base/hub-error.ts';
import { type Effort, type IgnorePath, type IgnoreRule, parseIgnoreFile, toBytes } from './ignore-pattern.ts';

/** The first of these that says anything of a path decides; within one kind, the file nearest to the path. */
export const ignoreFileNames = ['.zooignore', '.ignore', '.gitignore'] as const;
type RuleKind = (typeof ignoreFileNames)[number] | '.git/info/exclude';
const kinds: readonly RuleKind[] = [...ignoreFileNames, '.git/info/exclude'];

/** Contents of the ignore files of one folder. */
export type IgnoreFiles = Partial<Record<RuleKind, Uint8Array | undefined>>;

export interface IgnoreVerdict {
  isIgnored: boolean;
  /** The rule and where it stands, such as `*.log (docs/.gitignore, line 3)`. */
  because: string;
}

/** macOS and Windows do not tell cases of file names apart, and there git does not either. */
const ignoreCase = process.platform === 'darwin' || process.platform === 'win32';

/** Steps to judge one path: some milliseconds. Without a limit, whoever writes the rules and the names decides how long a sync takes. */
const maxEffort = 500_000;

/**
 * The ignore rules that hold in one folder: its own and those of the folders above it. A caller that walks down must
 * not enter a folder that is ignored: rules below it cannot bring back what it holds.
 */
export class IgnoreRules {
  readonly #above: IgnoreRules | undefined;
  /** Of this folder, relative to the topmost; empty or with a slash at its end. */
  readonly #base: string;
  readonly #baseBytes: number;
  readonly #rules = new Map<RuleKind, readonly IgnoreRule[]>();
  readonly #isRepository: boolean;
  /** Of this folder and of those above it. */
  readonly #count: number;

  /**
   * `isRepository`: what git says above this folder does not reach into it. Throws UNAVAILABLE, with a sentence that
   * begins with "Its", when a file holds more than is read: what it hides is not known then.
   */
  constructor(
    files: IgnoreFiles = {},
    place: { above?: IgnoreRules | undefined; name?: string; isRepository?: boolean } = {},
  ) {
    this.#above = place.above;
    this.#base = place.name === undefined ? '' : `${place.above?.base ?? ''}${place.name}/`;
    this.#baseBytes = Buffer.byteLength(this.#base);
    this.#isRepository = place.isRepository ?? false;
    let count = place.above ? place.above.#count : 0;
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

  /** The rules for a folder in this one. Throws as the constructor does. */
  enter(name: string, files: IgnoreFiles = {}, isRepository = false): IgnoreRules {
    return new IgnoreRules(files, { above: this, name, isRepository });
  }

  /**
   * What the rules say of an entry of this folder; undefined when none matches. Throws UNAVAILABLE when it takes too
   * long to find out.
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
    const isOfGit = kind === '.gitignore' || kind === '.git/info/exclude';
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
      if (isOfGit && scope.#isRepository) return undefined;
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
    `Finding out whether it is ignored takes too long: too many rules with too many wildcards (up to ${where}). Use simpler ones.`,
  );
}
