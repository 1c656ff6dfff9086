import { describe, expect, it } from 'vitest';
import { attemptKey, draftOf, forgetAttempt, keepDraft } from './drafts.ts';

describe('a draft', () => {
  it('stays with its thread until it is emptied', () => {
    keepDraft('one', 'half a sent');
    expect([draftOf('one'), draftOf('two')]).toEqual(['half a sent', '']);
    keepDraft('one', '');
    expect(draftOf('one')).toBe('');
  });
});

describe('the key of an attempt', () => {
  it('is the same for the same words again, and for no others', () => {
    const first = attemptKey('thread', 'Yes.');
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(attemptKey('thread', 'Yes.')).toBe(first);
    expect(attemptKey('other', 'Yes.')).not.toBe(first);
    expect(attemptKey('thread', 'No.')).not.toBe(first);
  });

  it('is a new one once the mail was sent, so that the same words can be sent again', () => {
    const first = attemptKey('thread', 'Yes.');
    forgetAttempt('thread');
    expect(attemptKey('thread', 'Yes.')).not.toBe(first);
  });
});
