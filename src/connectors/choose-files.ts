import picomatch from 'picomatch';
import { HubError } from '../base/hub-error.ts';
import type { SkipReason } from '../knowledge/connector.ts';

export interface FileChoiceSettings {
  /** Files that are taken; a glob with no slash means the name at any depth. */
  include_globs?: readonly string[] | undefined;
  exclude_globs?: readonly string[] | undefined;
  /** Without include globs: whether a file of this name is one that can be read. Everything when left out. */
  takes?: ((name: string) => boolean) | undefined;
}

/** Paths are relative to the root, with `/` between their parts. What is taken has no reason against it. */
export interface FileChoice {
  whyNotFile(path: string): SkipReason | undefined;
  /** A reason when nothing below it can be taken. */
  whyNotFolder(path: string): SkipReason | undefined;
  /** As `whyNotFile`, for a file that a link leads to: for its type and the include globs the link's own name counts. */
  whyNotTarget(path: string): SkipReason | undefined;
  /** An include glob ends with the name of this file, so neither ignore files nor the look of a secret count. */
  isNamed(path: string): boolean;
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
const maxStarsInPart = 4;

/** Throws INVALID_ARGUMENTS for a glob that cannot be used. */
export function chooseFiles(settings: FileChoiceSettings): FileChoice {
  const includes = settings.include_globs?.map(normalGlob);
  const excludes = (settings.exclude_globs ?? []).map(normalGlob);
  const namedParts = new Set(includes?.flatMap((glob) => glob.split('/')));
  const skippedNames = new Set(generated.filter((name) => !namedParts.has(name)));
  const namesHidden = [...namedParts].some((part) => /^[{(]?\./.test(part));

  const namedMatchers = (includes ?? [])
    .map((glob) => ({ name: nameOf(glob), matches: matcher([glob], true) }))
    .filter(({ name }) => !hasWildcard(name));
  const isIncluded = includes && matcher(includes, false);
  const isExcluded = matcher(excludes, true);
  const isFolderExcluded = matcher(excludes.flatMap(folderGlob), true);

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
    if (name.startsWith('.') && !namesHidden) return 'hidden';
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
  const crowded = normal.split('/').find((part) => (part.match(/\*+/g)?.length ?? 0) > maxStarsInPart);
  if (crowded !== undefined) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      `The glob "${glob}" has more than ${maxStarsInPart} stars in "${crowded}". Use fewer, such as "**/*.md".`,
    );
  }
  return normal;
}

/** Files that hold passwords, keys or tokens by custom. Compared in lower case. */
const names = new Set([
  '.env',
  '.envrc',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.mylogin.cnf',
  '.git-credentials',
  '.htpasswd',
  '.dockercfg',
  '.dockerconfigjson',
  '.vault-token',
  '.boto',
  '.s3cfg',
  '.terraformrc',
  'kubeconfig',
  'rclone.conf',
  'credentials',
  'accesstokens.json',
  'rootkey.csv',
  'application_default_credentials.json',
]);

/** Keys and the like: nobody shows one as a sample, whatever else its name says. */
const keys: readonly RegExp[] = [
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:[_-][\w-]+)?(?:\.(?:bak|backup|old|orig|dist|default|txt))?$/,
  /\.(?:pem|key|p8|p12|pfx|jks|keystore|ppk|kdbx?|tfvars)$/,
];

const patterns: readonly RegExp[] = [
  /^\.env\..+$/,
  /.\.env$/,
  /\.tfvars\.json$/,
  /\.tfstate(?:\.backup|\.\d+\.backup)?$/,
  /^(?:credentials|secrets?)(?:\.[\w-]+)?\.(?:json|ya?ml|toml|ini|csv|txt|properties)$/,
  /[._-]credentials\.(?:json|csv)$/,
  /^client[-_]?secrets?.*\.json$/,
  /service[-_]?account.*\.json$/,
];

/** Shown to everybody on purpose: `.env.example`. */
const samples = /[._-](?:example|sample|template|dist|defaults?)$/;

/** Whether a file of this name should not be read unless somebody names it. Only the name is looked at. */
export function looksSecret(name: string): boolean {
  const lower = name.toLowerCase();
  if (keys.some((pattern) => pattern.test(lower))) return true;
  if (samples.test(lower) || samples.test(lower.replace(/\.[a-z]+$/, ''))) return false;
  return names.has(lower) || patterns.some((pattern) => pattern.test(lower));
}
