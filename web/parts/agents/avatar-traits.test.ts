import { describe, expect, it } from 'vitest';
import { agentTemplates } from '../../../src/agents/templates.ts';
import { avatarTraits, speciesNames } from './avatar-traits.ts';

describe('avatarTraits', () => {
  it('draws the same creature for the same id every time', () => {
    expect(avatarTraits('code-reviewer')).toEqual(avatarTraits('code-reviewer'));
  });

  it('keeps the creature of a known id across versions', () => {
    expect(avatarTraits('code-reviewer')).toMatchInlineSnapshot(`
      {
        "eyes": "sleepy",
        "groundHue": 122,
        "hue": 12,
        "marking": "blush",
        "species": "elephant",
        "tilt": 0,
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

  it('gives every starter template a different species', () => {
    const drawn = agentTemplates.map((template) => avatarTraits(template.id).species);
    expect(new Set(drawn).size).toBe(agentTemplates.length);
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
