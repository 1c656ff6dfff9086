import { describe, expect, it } from 'vitest';
import { attemptKey, draftOf, forgetAttempt, keepDraft } from './drafts.ts';

describe('a draft', () => {
  it('is kept per thread until it is cleared', () => {
    keepDraft('one', 'half a sent');
    expect([draftOf('one'), draftOf('two')]).toEqual(['half a sent', '']);
    keepDraft('one', '');
    expect(draftOf('one')).toBe('');
  });
});

describe('the key of an attempt', () => {
  it('is reused only for the same text', () => {
    const first = attemptKey('thread', 'Yes.');
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(attemptKey('thread', 'Yes.')).toBe(first);
    expect(attemptKey('other', 'Yes.')).not.toBe(first);
    expect(attemptKey('thread', 'No.')).not.toBe(first);
  });

  it('changes once the mail is sent, so that the same text can be sent again', () => {
    const first = attemptKey('thread', 'Yes.');
    forgetAttempt('thread');
    expect(attemptKey('thread', 'Yes.')).not.toBe(first);
  });
});
