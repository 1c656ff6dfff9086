import { describe, expect, it } from 'vitest';
import { checkSource, type SourceForm, splitGlobs, suggestName, toNewSource } from './new-source.ts';

const folder: SourceForm = {
  type: 'filesystem',
  location: '/home/ada/notes',
  name: 'notes',
  branch: '',
  root: '',
  include: '',
  exclude: '',
  tags: '',
  allowHosts: '',
};
const repository: SourceForm = { ...folder, type: 'git', location: 'https://example.org/ops/runbooks.git' };

describe('suggestName', () => {
  it.each([
    ['/home/ada/My Notes/', 'my-notes'],
    ['C:\\Users\\ada\\notes', 'notes'],
    ['https://example.org/ops/runbooks.git', 'runbooks'],
    ['git@example.org:runbooks.git', 'runbooks'],
    ['', ''],
  ])('of %j is %j', (location, name) => {
    expect(suggestName(location)).toBe(name);
  });
});

describe('checkSource', () => {
  it.each<[string, SourceForm, Record<string, string>]>([
    ['a valid folder', folder, {}],
    ['a folder on Windows', { ...folder, location: 'D:\\notes' }, {}],
    ['no folder', { ...folder, location: ' ' }, { location: 'Enter a folder path.' }],
    [
      'a relative path',
      { ...folder, location: 'notes' },
      { location: 'Enter the full path, such as /home/ada/notes.' },
    ],
    ['a valid repository', repository, {}],
    ['no repository', { ...repository, location: '' }, { location: 'Enter a repository URL.' }],
    ['a URL with a space', { ...repository, location: 'a b' }, { location: 'A URL cannot contain spaces.' }],
    ['no name', { ...folder, name: '' }, { name: 'Enter a name.' }],
    ['a taken name', { ...folder, name: 'taken' }, { name: 'A source named “taken” already exists.' }],
    ['a name of another type', { ...repository, name: 'taken' }, {}],
  ])('of %s', (_, form, problems) => {
    expect(checkSource(form, ['filesystem:taken'])).toEqual(problems);
  });

  it.each(['a:b', 'größe', 'notes-', '.notes', 'x'.repeat(65)])('rejects the name %j, as the hub does', (name) => {
    expect(checkSource({ ...folder, name }, []).name).toContain('letters');
  });
});

describe('toNewSource', () => {
  it('contains only the filled fields', () => {
    expect(toNewSource({ ...folder, branch: 'main' })).toEqual({
      type: 'filesystem',
      name: 'notes',
      settings: { root: '/home/ada/notes' },
    });
    expect(
      toNewSource({
        ...repository,
        branch: 'main',
        root: 'docs',
        include: '**/*.{md,txt}, *.rst',
        tags: 'ops',
        allowHosts: 'git.corp',
      }),
    ).toEqual({
      type: 'git',
      name: 'notes',
      settings: {
        url: repository.location,
        branch: 'main',
        root: 'docs',
        include_globs: ['**/*.{md,txt}', '*.rst'],
        tags: ['ops'],
        allow_hosts: ['git.corp'],
      },
    });
  });
});

it('a comma in braces belongs to the pattern', () => {
  expect(splitGlobs('a/**,*.{md,txt}\n, b')).toEqual(['a/**', '*.{md,txt}', 'b']);
});
