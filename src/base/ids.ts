const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const pool = new Uint8Array(4096);
let used = pool.length;
let lastTime = 0;
let timePart = '';
let counter = 0;

/**
 * Returns `prefix_` + time + counter + randomness. Ids sort by creation time, and those of one process also within a millisecond, so
 * that a quick reply comes after its question. They are safe in URLs and unique across processes.
 */
export function newId(prefix: string, now: number = Date.now()): string {
  if (used + 12 > pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  let random = '';
  for (let index = 3; index < 12; index += 1) {
    random += alphabet[(pool[used + index] ?? 0) & 31];
  }
  if (now === lastTime) counter += 1;
  else {
    lastTime = now;
    timePart = encode(now, 9);
    // Starts at a random number in the lower half of the range of three letters, which leaves room to count up.
    counter = (((pool[used] ?? 0) << 8) | (pool[used + 1] ?? 0)) & 0x3fff;
  }
  used += 12;
  return `${prefix}_${timePart}${encode(counter, 3)}${random}`;
}

/** Returns when an id with this prefix was created, or undefined if it is not one of ours. */
export function timeOfId(prefix: string, id: string): number | undefined {
  const start = prefix.length + 1;
  if (id.length !== start + 21 || !id.startsWith(`${prefix}_`)) return undefined;
  let time = 0;
  for (const letter of id.slice(start, start + 9)) {
    const value = alphabet.indexOf(letter);
    if (value === -1) return undefined;
    time = time * 32 + value;
  }
  return time;
}

function encode(number: number, letters: number): string {
  let rest = number;
  let text = '';
  for (let index = 0; index < letters; index += 1) {
    text = alphabet[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** "Code Wizard!" → "code-wizard". Empty if no character of the name is allowed in a slug. */
export function slugify(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
    .replace(/-+$/, '');
}
