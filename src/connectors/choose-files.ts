import picomatch from 'picomatch';
import { HubError } from '../base/hub-error.ts';

export interface FileChoiceSettings {
  /** Files that are taken; a glob with no slash means the name at any depth. */
  include_globs?: readonly string[] | undefined;
  exclude_globs?: readonly string[] | undefined;
  /** Without include globs: whether a file of this name is one that can be read. Everything when left out. */
  takes?: ((name: string) => boolean) | undefined;
}

/** Paths are relative to the root, with `/` between their parts. */
export interface FileChoice {
  takesFile(path: string): boolean;
  /** False when nothing below it can be taken. */
  entersFolder(path: string): boolean;
}

/** Folders that tools fill. One is entered all the same when an include glob names it. */
const generated = [
  '.git',
  '.hg',
  '.svn',
  'node_modules',
  'bower_components',
  'target',
  'dist',
  'build',
  'out',
  'vendor',
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

/** A pattern with more is matched in a time that grows with a high power of the name's length. */
const mostStarsInPart = 4;

/** Throws INVALID_ARGUMENTS for a glob that cannot be used. */
export function chooseFiles(settings: FileChoiceSettings): FileChoice {
  const includes = settings.include_globs?.map(normalGlob);
  const excludes = (settings.exclude_globs ?? []).map(normalGlob);
  const namedParts = new Set(includes?.flatMap((glob) => glob.split('/')));
  const skippedNames = new Set(generated.filter((name) => !namedParts.has(name)));
  const namesHidden = [...namedParts].some((part) => /^[{(]?\./.test(part));

  const isIncluded = includes && matcher(includes, false);
  const isExcluded = matcher(excludes, true);
  const isFolderExcluded = matcher(excludes.flatMap(folderGlob), true);

  return {
    takesFile(path) {
      const name = path.slice(path.lastIndexOf('/') + 1);
      if (isIncluded) return isIncluded(path) && !isExcluded(path);
      return !name.startsWith('.') && (settings.takes?.(name) ?? true) && !isExcluded(path);
    },
    entersFolder(path) {
      const name = path.slice(path.lastIndexOf('/') + 1);
      if (skippedNames.has(name)) return false;
      if (name.startsWith('.') && !namesHidden) return false;
      return !isFolderExcluded(path);
    },
  };
}

function matcher(globs: readonly string[], dot: boolean): (path: string) => boolean {
  const matchers = globs.map((glob) => picomatch(glob, { dot, basename: !glob.includes('/') }));
  return (path) => matchers.some((matches) => matches(path));
}

/** The folders that an exclude glob closes: a name alone, or what stands before a last `/**`. */
function folderGlob(glob: string): string[] {
  if (!glob.includes('/')) return [glob];
  const folder = /^(.+?)\/\*\*(\/\*)?$/.exec(glob)?.[1];
  return folder === undefined ? [] : [folder];
}

function normalGlob(glob: string): string {
  const normal = glob.replace(/^(\.?\/)+/, '').replace(/\/$/, '/**');
  if (normal === '') throw new HubError('INVALID_ARGUMENTS', `The glob "${glob}" names nothing. Try "**/*.md".`);
  const crowded = normal.split('/').find((part) => (part.match(/\*+/g)?.length ?? 0) > mostStarsInPart);
  if (crowded !== undefined) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      `The glob "${glob}" has more than ${mostStarsInPart} stars in "${crowded}". Use fewer, such as "**/*.md".`,
    );
  }
  return normal;
}
