const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const pool = new Uint8Array(4096);
let used = pool.length;
let lastTime = 0;
let timePart = '';

/** `prefix_` + time + randomness: sorts by creation time, safe in URLs, unique across processes. */
export function newId(prefix: string, now: number = Date.now()): string {
  if (now !== lastTime) {
    lastTime = now;
    timePart = encodeTime(now);
  }
  if (used + 12 > pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  let random = '';
  for (let index = 0; index < 12; index += 1) {
    random += alphabet[(pool[used + index] ?? 0) & 31];
  }
  used += 12;
  return `${prefix}_${timePart}${random}`;
}

/** When an id of this prefix was made; undefined when it is none of ours. */
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

function encodeTime(now: number): string {
  let rest = now;
  let text = '';
  for (let index = 0; index < 9; index += 1) {
    text = alphabet[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** "Code Wizard!" → "code-wizard". Empty when nothing in the name can stand in a URL. */
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
