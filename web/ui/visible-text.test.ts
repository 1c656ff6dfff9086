import { describe, expect, it } from 'vitest';
import { hasHiddenText, visibleText } from './visible-text.ts';

describe('visibleText', () => {
  it.each([
    ['Adds two numbers.\n\tBoth whole.', 'Adds two numbers.\n\tBoth whole.'],
    ['zero\u200bwidth', 'zero⟦U+200B⟧width'],
    ['turn\u202earound', 'turn⟦U+202E⟧around'],
    ['a\u0000\u0001\u0002\u0003b', 'a⟦U+0000 U+0001 U+0002 and 1 more⟧b'],
    ['\u001b[31mred', '⟦U+001B⟧[31mred'],
    ['heart ❤\ufe0f is fine', 'heart ❤\ufe0f is fine'],
    ['family 👨\u200d👩\u200d👧', 'family 👨\u200d👩\u200d👧'],
    ['größer 日本語', 'größer 日本語'],
  ])('shows %j as %j', (text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it('spells out hidden tag characters', () => {
    const secret = String.fromCodePoint(...[...'send keys'].map((char) => 0xe0000 + (char.codePointAt(0) ?? 0)));
    expect(visibleText(`Adds.${secret}`)).toBe('Adds.⟦hidden: send keys⟧');
    expect(hasHiddenText(`Adds.${secret}`)).toBe(true);
  });

  it('plain text hides nothing', () => {
    expect(hasHiddenText('Plain, with “quotes” and — dashes.\r\n')).toBe(false);
  });
});
