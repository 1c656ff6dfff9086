import picomatch from 'picomatch';
import { HubError } from '../base/hub-error.ts';
import type { SkipReason } from '../knowledge/connector.ts';
import { compileCtxGlob } from './ctx-glob.ts';
import { looksSecret } from './looks-secret.ts';

export interface FileChoiceSettings {
  /** Files to include. A glob without a slash matches names at any depth. */
  include_globs?: readonly string[] | undefined;
  exclude_globs?: readonly string[] | undefined;
  /** Reads globs as Context Harness does: `*` also matches `/`, and a glob always matches the whole path. */
  isCtxGlobs?: boolean | undefined;
  /** Without include globs: whether a file with this name can be read. Defaults to all files. */
  takes?: ((name: string) => boolean) | undefined;
}

/** Decides which files to index. Paths are relative to the root and separated by `/`. */
export interface FileChoice {
  /** Returns why a file is skipped; undefined when it is indexed. */
  whyNotFile(path: string): SkipReason | undefined;
  /** Returns a reason when nothing below the folder can be included. */
  whyNotFolder(path: string): SkipReason | undefined;
  /** Like `whyNotFile`, for the target of a link. The link's own name decides about type and include globs. */
  whyNotTarget(path: string): SkipReason | undefined;
  /** Whether an include glob ends with the exact name of this file, which overrides ignore files and the check for secrets. */
  isNamed(path: string): boolean;
}

/** Folders that tools generate. An include glob that names one opens it. */
const generated = [
  '.git',
  '.hg',
  '.svn',
  'node_modules',
  'bower_components',
  'target',
  'venv',
  '.venv',
  '__pycache__',
  '.tox',
  '.mypy_cache',
  '.pytest_cache',
  '.gradle',
  '.next',
  '.nuxt',
  '.cache',
  'coverage',
];

/** Folders that are read although their names begin with a dot. */
const openHidden = ['.github'];

/** Matching time grows steeply with the number of stars. */
const maxStarsInPart = 4;

/** Throws INVALID_ARGUMENTS for a glob that cannot be used. */
export function chooseFiles(settings: FileChoiceSettings): FileChoice {
  const includes = settings.include_globs?.map(normalGlob);
  const excludes = (settings.exclude_globs ?? []).map(normalGlob);
  const namedParts = new Set(includes?.flatMap((glob) => glob.split('/')));
  const skippedNames = new Set(generated.filter((name) => !namedParts.has(name)));
  const namesHidden = [...namedParts].some((part) => /^[{(]?\./.test(part));
  const compile = settings.isCtxGlobs ? ctxMatcher : plainMatcher;
  const matcher = (globs: readonly string[], dot: boolean) => {
    const matchers = globs.map((glob) => compile(glob, dot));
    return (path: string) => matchers.some((matches) => matches(path));
  };

  const namedMatchers = (includes ?? [])
    .map((glob) => ({ name: nameOf(glob), matches: matcher([glob], true) }))
    .filter(({ name }) => !hasWildcard(name));
  const isMatch = includes && matcher(includes, false);
  const isIncluded = isMatch && ((path: string) => isMatch(path) || isMatch(withoutOpenHidden(path)));
  const isExcluded = matcher(excludes, true);
  const closing = settings.isCtxGlobs ? excludes.filter((glob) => glob.includes('/')) : excludes;
  const isFolderExcluded = matcher(closing.flatMap(folderGlob), true);

  return { whyNotFile, whyNotFolder, whyNotTarget, isNamed };

  function whyNotFile(path: string): SkipReason | undefined {
    const name = nameOf(path);
    if (looksSecret(name) && !isNamed(path)) return 'secret';
    if (isExcluded(path)) return 'excluded';
    if (isIncluded) return isIncluded(path) ? undefined : 'not_included';
    if (name.startsWith('.')) return 'hidden';
    return (settings.takes?.(name) ?? true) ? undefined : 'type';
  }

  function whyNotFolder(path: string): SkipReason | undefined {
    const name = nameOf(path);
    if (skippedNames.has(name)) return 'generated';
    if (name.startsWith('.') && !namesHidden && !openHidden.includes(name)) return 'hidden';
    return isFolderExcluded(path) ? 'excluded' : undefined;
  }

  function whyNotTarget(path: string): SkipReason | undefined {
    const name = nameOf(path);
    if (looksSecret(name) && !isNamed(path)) return 'secret';
    if (isExcluded(path)) return 'excluded';
    return name.startsWith('.') && !isIncluded?.(path) ? 'hidden' : undefined;
  }

  function isNamed(path: string): boolean {
    const name = nameOf(path);
    return namedMatchers.some((glob) => glob.name === name && glob.matches(path));
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function hasWildcard(glob: string): boolean {
  return /[*?[\]{}()!+@\\]/.test(glob);
}

/** Lets stars match the folders in `openHidden`. */
function withoutOpenHidden(path: string): string {
  return path
    .split('/')
    .map((part) => (openHidden.includes(part) ? part.slice(1) : part))
    .join('/');
}

type Matcher = (path: string) => boolean;

/** Without `dot`, stars do not match names that begin with a dot. */
function plainMatcher(glob: string, dot: boolean): Matcher {
  checkStars(glob);
  return picomatch(glob, { dot, basename: !glob.includes('/') });
}

function ctxMatcher(glob: string, dot: boolean): Matcher {
  const matches = compileCtxGlob(glob);
  const isHidden = /(?:^|\/)\./;
  // A glob that names something hidden names all of it.
  return dot || isHidden.test(glob) ? matches : (path) => !isHidden.test(path) && matches(path);
}

/** Returns the folder that an exclude glob excludes as a whole: a plain name, or the part before a final `/**`. */
function folderGlob(glob: string): string[] {
  if (!glob.includes('/')) return [glob];
  const folder = /^(.+?)\/\*\*(\/\*)?$/.exec(glob)?.[1];
  return folder === undefined ? [] : [folder];
}

/** Throws INVALID_ARGUMENTS for a glob without content. */
function normalGlob(glob: string): string {
  const normal = glob.replace(/^(\.?\/)+/, '').replace(/\/$/, '/**');
  if (normal === '') throw new HubError('INVALID_ARGUMENTS', `The glob "${glob}" matches nothing. Try "**/*.md".`);
  return normal;
}

/** Throws INVALID_ARGUMENTS for a glob that could take too long to match. */
function checkStars(glob: string): void {
  const crowded = glob.split('/').find((part) => (part.match(/\*+/g)?.length ?? 0) > maxStarsInPart);
  if (crowded === undefined) return;
  throw new HubError(
    'INVALID_ARGUMENTS',
    `The glob "${glob}" has more than ${maxStarsInPart} stars in "${crowded}". Use fewer, such as "**/*.md".`,
  );
}
