export const speciesNames = [
  'bear',
  'cat',
  'fox',
  'rabbit',
  'owl',
  'frog',
  'elephant',
  'lion',
  'penguin',
  'giraffe',
  'koala',
  'octopus',
  'hedgehog',
  'chick',
  'pig',
  'monkey',
  'mouse',
  'whale',
] as const;
export type Species = (typeof speciesNames)[number];

export interface AvatarTraits {
  species: Species;
  /** The fur's hue in degrees. */
  hue: number;
  /** The background's hue in degrees. */
  groundHue: number;
  tone: 'light' | 'middle' | 'dark';
  eyes: 'dot' | 'bright' | 'sleepy' | 'happy';
  marking: 'none' | 'spots' | 'stripes' | 'blush';
  tilt: number;
}

const hues = [12, 32, 52, 74, 98, 126, 148, 168, 190, 212, 234, 256, 280, 304, 328, 350] as const;
const distances = [150, 180, 210, 70, -70, 110, -110] as const;
const tones = ['light', 'middle', 'dark'] as const;
const eyes = ['dot', 'dot', 'bright', 'sleepy', 'happy'] as const;
const markings = ['none', 'none', 'spots', 'stripes', 'blush'] as const;
const tilts = [0, 0, -5, 5] as const;

/** Returns the creature of an agent: the same for one id on every machine. */
export function avatarTraits(id: string): AvatarTraits {
  const next = randomFrom(id);
  const pick = <T>(choices: readonly [T, ...T[]]): T => choices[next() % choices.length] ?? choices[0];
  const species = pick(speciesNames);
  const hue = pick(hues);
  return {
    species,
    hue,
    groundHue: (hue + pick(distances) + 360) % 360,
    tone: pick(tones),
    eyes: pick(eyes),
    marking: pick(markings),
    tilt: pick(tilts),
  };
}

/** A seed that gives each starter template a different species. */
const start = 100_850;

/** Returns a generator: FNV-1a for the seed, then splitmix32, so that one letter changes everything. */
function randomFrom(text: string): () => number {
  let state = start;
  for (let index = 0; index < text.length; index += 1) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  }
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
}
