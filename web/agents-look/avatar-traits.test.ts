import { describe, expect, it } from 'vitest';
import { avatarTraits, speciesNames } from './avatar-traits.ts';

describe('avatarTraits', () => {
  it('draws the same creature for the same id every time', () => {
    expect(avatarTraits('code-reviewer')).toEqual(avatarTraits('code-reviewer'));
  });

  it('keeps the creature of a known id across versions', () => {
    expect(avatarTraits('code-reviewer')).toMatchInlineSnapshot(`
      {
        "eyes": "bright",
        "groundHue": 306,
        "hue": 126,
        "marking": "blush",
        "species": "lion",
        "tilt": -5,
        "tone": "dark",
      }
    `);
  });

  it('gives ids that differ in one letter different creatures', () => {
    const drawn = new Set(
      Array.from({ length: 26 }, (_, index) =>
        JSON.stringify(avatarTraits(`agent-${String.fromCharCode(97 + index)}`)),
      ),
    );
    expect(drawn.size).toBeGreaterThan(24);
  });

  it('uses every species about equally often', () => {
    const counts = new Map<string, number>();
    for (let index = 0; index < 2_800; index += 1) {
      const { species } = avatarTraits(`agent-${index}`);
      counts.set(species, (counts.get(species) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([...speciesNames].sort());
    for (const count of counts.values()) expect(count).toBeGreaterThan(100);
  });
});
