import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedact } from './redact.ts';

const value = 'correct-horse-battery-staple';
const redact = createRedact({ values: [value] });

/** Returns the pieces that a chat shows of a text that arrives in these pieces. */
function show(pieces: readonly string[]): string[] {
  const shown: string[] = [];
  let waiting = '';
  for (const piece of pieces) {
    waiting += piece;
    const from = redact.openFrom?.(waiting) ?? waiting.length;
    if (from > 0) shown.push(waiting.slice(0, from));
    waiting = waiting.slice(from);
  }
  if (waiting !== '') shown.push(waiting);
  return shown.map(redact);
}

function cut(text: string, places: readonly number[]): string[] {
  const sorted = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((start, index) => text.slice(start, sorted[index] ?? text.length));
}

const secrets = [
  value,
  `sk-${'a1B2'.repeat(8)}`,
  `ghp_${'x9'.repeat(18)}`,
  `AKIA${'Q7'.repeat(8)}`,
  `eyJ${'hbGciOi'.repeat(4)}.${'eyJzdWIi'.repeat(4)}.${'c2ln'.repeat(6)}`,
  'postgres://user:hunter2hunter2@db/zoo',
  'password: hunter2hunter2',
  'Authorization: Bearer hunter2hunter2',
  `-----BEGIN PRIVATE KEY-----\n${'hunter2hunter2'.repeat(9)}\n-----END PRIVATE KEY-----`,
];

describe('a text that arrives in pieces', () => {
  it.each(secrets)('never shows %j, letter by letter', (secret) => {
    const text = `It is ${secret} and no other.`;
    const shown = show([...text]).join('');
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain('hunter2hunter2');
    expect(shown).toMatch(/^It is .*other\.$/s);
  });

  it('never shows a secret in pieces of any size', () => {
    const places = fc.array(fc.nat(400), { maxLength: 40 });
    fc.assert(
      fc.property(fc.constantFrom(...secrets), fc.lorem({ maxCount: 8 }), places, (secret, words, where) => {
        const text = `${words} ${secret} ${words}`;
        const pieces = cut(text, where);
        expect(show(pieces).join('')).not.toContain(
          secret === value ? value : (secret.match(/hunter2hunter2/)?.[0] ?? secret),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('is shown completely and without delay if it has no secret', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 30 }), fc.array(fc.nat(300), { maxLength: 60 }), (words, where) => {
        expect(show(cut(words, where)).join('')).toBe(words);
      }),
    );
    expect(show(['Hello', ' world', ', this is', ' it'])).toEqual(['Hello', ' world', ', this is', ' it']);
    const prose = `The token count is high. ${'So it goes on. '.repeat(10)}`;
    expect(show([...prose]).length).toBeGreaterThan(60);
  });
});
