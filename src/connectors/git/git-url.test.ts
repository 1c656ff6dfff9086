import { expect, it } from 'vitest';
import { parseGitUrl, webLink } from './git-url.ts';

it.each([
  ['https://github.com/acme/docs.git', 'https://github.com/acme/docs/blob/main/a%20b/c%23.md'],
  ['https://user:token@github.com/acme/docs', 'https://github.com/acme/docs/blob/main/a%20b/c%23.md'],
  ['git@github.com:acme/docs.git', 'https://github.com/acme/docs/blob/main/a%20b/c%23.md'],
  ['ssh://git@github.com/acme/docs.git', 'https://github.com/acme/docs/blob/main/a%20b/c%23.md'],
  ['https://gitlab.example.org/a/b/docs.git', 'https://gitlab.example.org/a/b/docs/-/blob/main/a%20b/c%23.md'],
  ['git@bitbucket.org:acme/docs.git', 'https://bitbucket.org/acme/docs/src/main/a%20b/c%23.md'],
  ['https://git.example.org/docs.git', undefined],
  ['/srv/github.com/docs.git', undefined],
])('the page of a file in %s', (url, page) => {
  expect(webLink(parseGitUrl(url))?.('main', 'a b/c#.md')).toBe(page);
});

it.each([
  ['https://user:pass@host/x', 'https://host/x'],
  ['https://ghp_0123456789@host/x', 'https://host/x'],
  ['https://user:p%40ss@host:8443/x?access_token=abc&b=1', 'https://host:8443/x?access_token=***&b=1'],
  ['ssh://git:pass@host/x', 'ssh://git@host/x'],
  ['ssh://git@host/x', 'ssh://git@host/x'],
  ['git@host:x/y.git', 'git@host:x/y.git'],
])('%s is shown as %s', (url, shown) => {
  expect(parseGitUrl(url).shown).toBe(shown);
});

it('a token is removed wherever git repeats it', () => {
  const { clean } = parseGitUrl('https://me:t%2Fk-123456@host/x');
  expect(clean("remote: bad token t/k-123456 or t%2Fk-123456 for 'https://me:t%2Fk-123456@host/x/'")).toBe(
    "remote: bad token *** or *** for 'https://host/x/'",
  );
});

it.each([
  'file:///srv/docs.git',
  'FILE:///srv/docs.git',
  'git://example.org/docs.git',
  'ftp://example.org/docs.git',
  'svn+ssh://example.org/docs',
  'ext::sh -c "touch x"',
  'fd::17/foo',
  'https::http://example.org/x',
  '--upload-pack=touch x',
  'ssh://-oProxyCommand=touch%20x/docs.git',
  'ssh://git@-oProxyCommand=touch/docs.git',
  '-oProxyCommand=touch:docs.git',
  'git@-oProxyCommand=touch:docs.git',
  'https://',
  'https://exa mple.org/x',
  'https://example.org/a\nb',
])('refuses %j', (url) => {
  expect(() => parseGitUrl(url)).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENTS', message: expect.stringContaining('Use https://…') }),
  );
});

it('says what to write instead of a file address', () => {
  expect(() => parseGitUrl('file:///srv/docs.git')).toThrow('For a folder on this machine, give its path.');
});
