import { describe, expect, it } from 'vitest';
import { checkSource, type SourceForm, splitGlobs, suggestName, toNewSource } from './new-source.ts';

const folder: SourceForm = {
  type: 'filesystem',
  place: '/home/ada/notes',
  name: 'notes',
  branch: '',
  root: '',
  include: '',
  exclude: '',
  tags: '',
};
const repository: SourceForm = { ...folder, type: 'git', place: 'https://example.org/ops/runbooks.git' };

describe('suggestName', () => {
  it.each([
    ['/home/ada/My Notes/', 'my-notes'],
    ['C:\\Users\\ada\\notes', 'notes'],
    ['https://example.org/ops/runbooks.git', 'runbooks'],
    ['git@example.org:runbooks.git', 'runbooks'],
    ['', ''],
  ])('of %j is %j', (place, name) => {
    expect(suggestName(place)).toBe(name);
  });
});

describe('checkSource', () => {
  it.each<[string, SourceForm, Record<string, string>]>([
    ['a good folder', folder, {}],
    ['a folder on Windows', { ...folder, place: 'D:\\notes' }, {}],
    ['no folder', { ...folder, place: ' ' }, { place: 'Which folder?' }],
    ['half a path', { ...folder, place: 'notes' }, { place: 'Write the whole path, such as /home/ada/notes.' }],
    ['a good repository', repository, {}],
    ['no repository', { ...repository, place: '' }, { place: 'Which repository?' }],
    ['an address with a space', { ...repository, place: 'a b' }, { place: 'An address has no spaces.' }],
    ['no name', { ...folder, name: '' }, { name: 'Give it a name.' }],
    ['a taken name', { ...folder, name: 'taken' }, { name: 'There is already a source “taken”.' }],
    ['a name of another type', { ...repository, name: 'taken' }, {}],
  ])('of %s', (_, form, problems) => {
    expect(checkSource(form, ['filesystem:taken'])).toEqual(problems);
  });

  it.each(['a:b', 'größe', 'notes-', '.notes', 'x'.repeat(65)])('refuses the name %j, as the hub does', (name) => {
    expect(checkSource({ ...folder, name }, []).name).toContain('letters');
  });
});

describe('toNewSource', () => {
  it('sends only what was filled in', () => {
    expect(toNewSource({ ...folder, branch: 'main' })).toEqual({
      type: 'filesystem',
      name: 'notes',
      settings: { root: '/home/ada/notes' },
    });
    expect(
      toNewSource({ ...repository, branch: 'main', root: 'docs', include: '**/*.{md,txt}, *.rst', tags: 'ops' }),
    ).toEqual({
      type: 'git',
      name: 'notes',
      settings: {
        url: repository.place,
        branch: 'main',
        root: 'docs',
        include_globs: ['**/*.{md,txt}', '*.rst'],
        tags: ['ops'],
      },
    });
  });
});

it('a comma in braces belongs to the pattern', () => {
  expect(splitGlobs('a/**,*.{md,txt}\n, b')).toEqual(['a/**', '*.{md,txt}', 'b']);
});
