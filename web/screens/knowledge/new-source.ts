import { slugify } from '../../../src/base/ids.ts';
import { SourceName } from '../../../src/knowledge/connector.ts';
import type { NewSource } from '../../api/knowledge-queries.ts';
import { splitTags } from './search-params.ts';

/** The fields of the add dialog. */
export interface SourceForm {
  type: NewSource['type'];
  /** A folder path, or a URL that git can clone. */
  location: string;
  name: string;
  branch: string;
  /** A folder inside the repository. */
  root: string;
  include: string;
  exclude: string;
  tags: string;
  /** Private hosts that the repository may be at. */
  allowHosts: string;
}

export type SourceProblems = { [field in keyof SourceForm]?: string };

/** Suggests a name from the last part of a path or URL. */
export function suggestName(location: string): string {
  const last =
    location
      .trim()
      .split(/[\\/:]/)
      .filter(Boolean)
      .at(-1) ?? '';
  return slugify(last.replace(/\.git$/, ''));
}

/** Returns the problems of the form by field. `taken` contains labels such as `git:runbooks`. */
export function checkSource(form: SourceForm, taken: readonly string[]): SourceProblems {
  const location = form.location.trim();
  return {
    ...(form.type === 'filesystem' ? checkFolder(location) : checkRepository(location)),
    ...checkName(form, taken),
  };
}

function checkFolder(location: string): SourceProblems {
  if (location === '') return { location: 'Enter a folder path.' };
  const isAbsolute = /^([/~]|[A-Za-z]:[\\/]|\\\\)/.test(location);
  return isAbsolute ? {} : { location: 'Enter the full path, such as /home/ada/notes.' };
}

function checkRepository(location: string): SourceProblems {
  if (location === '') return { location: 'Enter a repository URL.' };
  return /\s/.test(location) ? { location: 'A URL cannot contain spaces.' } : {};
}

function checkName({ type, name }: SourceForm, taken: readonly string[]): SourceProblems {
  if (name.trim() === '') return { name: 'Enter a name.' };
  if (!SourceName.safeParse(name.trim()).success) {
    return { name: 'Use up to 64 letters (a–z), digits, dots, _ and -. Start and end with a letter or digit.' };
  }
  return taken.includes(`${type}:${name.trim()}`) ? { name: `A source named “${name.trim()}” already exists.` } : {};
}

export function toNewSource(form: SourceForm): NewSource {
  const [include, exclude, tags] = [splitGlobs(form.include), splitGlobs(form.exclude), splitTags(form.tags)];
  const location = form.location.trim();
  const allowHosts = splitTags(form.allowHosts);
  const [branch, root] = [form.branch.trim(), form.root.trim()];
  return {
    type: form.type,
    name: form.name.trim(),
    settings: {
      ...(form.type === 'filesystem'
        ? { root: location }
        : {
            url: location,
            ...(branch && { branch }),
            ...(root && { root }),
            ...(allowHosts.length > 0 && { allow_hosts: allowHosts }),
          }),
      ...(include.length > 0 && { include_globs: include }),
      ...(exclude.length > 0 && { exclude_globs: exclude }),
      ...(tags.length > 0 && { tags }),
    },
  };
}

/** Splits patterns at commas, except inside braces: `*.{md,txt}` is one pattern. */
export function splitGlobs(text: string): string[] {
  const globs = text.split(/[,\n](?![^{]*\})/).map((glob) => glob.trim());
  return [...new Set(globs.filter((glob) => glob !== ''))];
}
