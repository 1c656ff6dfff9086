import { describe, expect, it } from 'vitest';
import { toLogContext } from './decision-log.ts';
import { createRedact } from './redact/redact.ts';

const asIs = (text: string) => text;

describe('the input in a log entry', () => {
  it.each([
    ['a text', { apiKey: 'k-1' }, { apiKey: '[removed]' }],
    ['a number', { password: 4711 }, { password: '[removed]' }],
    ['a list', { secrets: ['a', 'b'] }, { secrets: '[removed]' }],
    [
      'an object, deep inside',
      { a: [{ credentials: { user: 'u', pin: 'p' } }] },
      { a: [{ credentials: '[removed]' }] },
    ],
    ['a name with escapes', { 'my "token"': 'x' }, { 'my "token"': '[removed]' }],
    ['counts, which are no secret', { maxTokens: 500, token_count: null }, { maxTokens: 500, token_count: null }],
    ['a word in a text', { content: 'the token "x": "y"' }, { content: 'the token "x": "y"' }],
  ])('%s', (_what, input, kept) => {
    expect(JSON.parse(toLogContext(JSON.stringify(input), asIs))).toEqual(kept);
  });

  it('contains no part of a secret at the point where the text is cut off', () => {
    const value = 'a-known-value-of-some-length';
    const redact = createRedact({ values: [value] });
    for (let before = 32_720; before < 32_770; before += 1) {
      const context = toLogContext(JSON.stringify({ text: `${'x'.repeat(before)}${value}${'y'.repeat(100)}` }), redact);
      expect(JSON.parse(context)).toMatchObject({ truncated: true });
      expect(context).not.toContain('a-kno');
    }
  });

  it('is read only once, even if it is made to confuse a pattern', () => {
    const startedAt = performance.now();
    toLogContext(JSON.stringify({ content: 'token'.repeat(400_000) }), asIs);
    // Reading it again from each position would take minutes; a busy machine needs a second or two.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
