import { type IgnoreRule, parseIgnoreFile, toBytes } from './ignore-pattern.ts';

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

/**
 * The ignore rules that hold in one folder: its own and those of the folders above it. A caller that walks down must
 * not enter a folder that is ignored: rules below it cannot bring back what it holds.
 */
export class IgnoreRules {
  readonly #above: IgnoreRules | undefined;
  /** Of this folder, relative to the topmost; empty or with a slash at its end. */
  readonly #base: string;
  readonly #rules = new Map<RuleKind, readonly IgnoreRule[]>();
  readonly #isRepository: boolean;

  /** `isRepository`: what git says above this folder does not reach into it. */
  constructor(
    files: IgnoreFiles = {},
    place: { above?: IgnoreRules | undefined; name?: string; isRepository?: boolean } = {},
  ) {
    this.#above = place.above;
    this.#base = place.name === undefined ? '' : `${place.above?.base ?? ''}${place.name}/`;
    this.#isRepository = place.isRepository ?? false;
    for (const kind of kinds) {
      const content = files[kind];
      const rules = content ? parseIgnoreFile(content, { ignoreCase }) : [];
      if (rules.length > 0) this.#rules.set(kind, rules);
    }
  }

  get base(): string {
    return this.#base;
  }

  /** The rules for a folder in this one. */
  enter(name: string, files: IgnoreFiles = {}, isRepository = false): IgnoreRules {
    return new IgnoreRules(files, { above: this, name, isRepository });
  }

  /** What the rules say of an entry of this folder; undefined when none matches. */
  judge(name: string, isFolder: boolean): IgnoreVerdict | undefined {
    const path = toBytes(this.#base + name);
    for (const kind of kinds) {
      const found = this.#find(kind, { path, isFolder });
      if (found) return found;
    }
    return undefined;
  }

  #find(kind: RuleKind, { path, isFolder }: { path: string; isFolder: boolean }): IgnoreVerdict | undefined {
    const isOfGit = kind === '.gitignore' || kind === '.git/info/exclude';
    for (let scope: IgnoreRules | undefined = this; scope; scope = scope.#above) {
      const bytes = path.slice(toBytes(scope.#base).length);
      const rule = scope.#rules.get(kind)?.findLast((each) => each.matches({ bytes, isFolder }));
      if (rule) {
        const because = `"${rule.text}" in ${scope.#base}${kind}, line ${rule.line}`;
        return { isIgnored: !rule.isNegated, because };
      }
      if (isOfGit && scope.#isRepository) return undefined;
    }
    return undefined;
  }
}
