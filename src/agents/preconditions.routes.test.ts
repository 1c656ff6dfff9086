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

  it.each(['', '1', 'W/"1"', '"1", "2"', '"-1"', '"1.5"', '"x"', '""', '"1'])('%j is refused', (header) => {
    expect(() => readIfMatch(header)).toThrow(/If-Match must be/);
  });

  it('wins over the revision in the body, which is enough alone', () => {
    expect(requireRevision('"3"', { revision: 2 })).toBe(3);
    expect(requireRevision(undefined, { revision: 2 })).toBe(2);
    expect(requireRevision('*', { revision: 2 })).toBeNull();
  });

  it.each([undefined, null, 'text', {}, { revision: null }])('is needed with the body %j', (body) => {
    expect(() => requireRevision(undefined, body)).toThrow(expect.objectContaining({ status: 428 }));
  });

  it.each(['2', 1.5, {}, true])('or a whole number in the body, not %j', (revision) => {
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
