import { describe, expect, it } from 'vitest';
import { attemptKey, forgetAttempt } from './attempts.ts';

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
