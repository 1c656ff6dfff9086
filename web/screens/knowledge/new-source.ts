import { slugify } from '../../../src/base/ids.ts';
import { SourceName } from '../../../src/knowledge/connector.ts';
import type { NewSource } from '../../api/knowledge-queries.ts';
import { splitTags } from './search-params.ts';

/** What a person types into the dialog. */
export interface SourceForm {
  type: NewSource['type'];
  /** A folder, or an address that git can clone. */
  place: string;
  name: string;
  branch: string;
  /** A folder inside the repository. */
  root: string;
  include: string;
  exclude: string;
  tags: string;
}

export type SourceProblems = { [field in keyof SourceForm]?: string };

/** A name from the last part of a path or an address. */
export function suggestName(place: string): string {
  const last =
    place
      .trim()
      .split(/[\\/:]/)
      .filter(Boolean)
      .at(-1) ?? '';
  return slugify(last.replace(/\.git$/, ''));
}

/** What is wrong with the form, field by field; `taken` are labels such as `git:runbooks`. */
export function checkSource(form: SourceForm, taken: readonly string[]): SourceProblems {
  const place = form.place.trim();
  return {
    ...(form.type === 'filesystem' ? checkFolder(place) : checkRepository(place)),
    ...checkName(form, taken),
  };
}

function checkFolder(place: string): SourceProblems {
  if (place === '') return { place: 'Which folder?' };
  const isWhole = /^([/~]|[A-Za-z]:[\\/]|\\\\)/.test(place);
  return isWhole ? {} : { place: 'Write the whole path, such as /home/ada/notes.' };
}

function checkRepository(place: string): SourceProblems {
  if (place === '') return { place: 'Which repository?' };
  return /\s/.test(place) ? { place: 'An address has no spaces.' } : {};
}

function checkName({ type, name }: SourceForm, taken: readonly string[]): SourceProblems {
  if (name.trim() === '') return { name: 'Give it a name.' };
  if (!SourceName.safeParse(name.trim()).success) {
    return { name: 'Up to 64 letters (a–z), digits, dots, _ and -, beginning and ending with a letter or digit.' };
  }
  return taken.includes(`${type}:${name.trim()}`) ? { name: `There is already a source “${name.trim()}”.` } : {};
}

export function toNewSource(form: SourceForm): NewSource {
  const [include, exclude, tags] = [splitGlobs(form.include), splitGlobs(form.exclude), splitTags(form.tags)];
  const place = form.place.trim();
  const [branch, root] = [form.branch.trim(), form.root.trim()];
  return {
    type: form.type,
    name: form.name.trim(),
    settings: {
      ...(form.type === 'filesystem'
        ? { root: place }
        : { url: place, ...(branch && { branch }), ...(root && { root }) }),
      ...(include.length > 0 && { include_globs: include }),
      ...(exclude.length > 0 && { exclude_globs: exclude }),
      ...(tags.length > 0 && { tags }),
    },
  };
}

/** Commas separate patterns, but not those inside braces: `*.{md,txt}` is one. */
export function splitGlobs(text: string): string[] {
  const globs = text.split(/[,\n](?![^{]*\})/).map((glob) => glob.trim());
  return [...new Set(globs.filter((glob) => glob !== ''))];
}
