import { describe, expect, it } from 'vitest';
import { contentTypeOf, isKnownTextName } from './content-types.ts';

describe('the content type', () => {
  it.each([
    ['a.md', undefined, 'text/markdown'],
    ['docs/A.HTML', undefined, 'text/html'],
    ['a.ts', 'application/octet-stream', 'text/x-typescript'],
    ['a.ts', 'text/plain; charset=utf-8', 'text/x-typescript'],
    ['page', 'text/html; charset=utf-8', 'text/html'],
    ['page.md', 'text/html', 'text/html'],
    ['data', 'text/yaml', 'application/yaml'],
    ['Dockerfile', undefined, 'text/x-dockerfile'],
    ['src/Makefile', undefined, 'text/x-makefile'],
    ['CMakeLists.txt', undefined, 'text/x-cmake'],
    ['notes', undefined, 'text/plain'],
    ['x.unheard-of', 'text/x-unheard-of', 'text/x-unheard-of'],
    ['constructor', '__proto__', 'text/plain'],
  ])('of %s stated as %s is %s', (name, given, expected) => {
    expect(contentTypeOf(name, given)).toBe(expected);
  });
});

describe('the files that a connector reads by default', () => {
  it.each([
    'README',
    'a.md',
    'b/c.PDF',
    'x.docx',
    'm.py',
    'k.kt',
    'a.yml',
    'pom.xml',
    'Gemfile',
    'q.sql',
    'Cargo.toml',
  ])('%s', (name) => expect(isKnownTextName(name)).toBe(true));

  it.each([
    'package-lock.json',
    'web/yarn.lock',
    'Cargo.lock',
    'go.sum',
    'app.min.js',
    'app.min.css',
    'app.js.map',
    'a.png',
    'a.zip',
    'a.exe',
    'noextension',
    '.env',
  ])('not %s', (name) => expect(isKnownTextName(name)).toBe(false));
});
