import { describe, expect, it } from 'vitest';
import { matchesEtag, readIfMatch, requireRevision } from './preconditions.routes.ts';

describe('If-Match', () => {
  it.each([
    ['"1"', 1],
    [' "42" ', 42],
    ['*', null],
    [undefined, undefined],
  ])('%j names %j', (header, revision) => {
    expect(readIfMatch(header)).toBe(revision);
  });

  it.each(['', '1', 'W/"1"', '"1", "2"', '"-1"', '"1.5"', '"x"', '""', '"1'])('%j is rejected', (header) => {
    expect(() => readIfMatch(header)).toThrow(/If-Match must be/);
  });

  it('takes precedence over the revision in the body, which is enough alone', () => {
    expect(requireRevision('"3"', { revision: 2 })).toBe(3);
    expect(requireRevision(undefined, { revision: 2 })).toBe(2);
    expect(requireRevision('*', { revision: 2 })).toBeNull();
  });

  it.each([undefined, null, 'text', {}, { revision: null }])('is required with the body %j', (body) => {
    expect(() => requireRevision(undefined, body)).toThrow(expect.objectContaining({ status: 428 }));
  });

  it.each(['2', 1.5, {}, true])('cannot be replaced by %j in the body', (revision) => {
    expect(() => requireRevision(undefined, { revision })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENTS' }),
    );
  });
});

describe('If-None-Match', () => {
  it.each([
    ['"3"', true],
    ['W/"3"', true],
    ['"1", W/"3"', true],
    ['*', true],
    ['"33"', false],
    ['3', false],
    [undefined, false],
  ])('%j matches "3": %j', (header, matches) => {
    expect(matchesEtag(header, '"3"')).toBe(matches);
  });
});
