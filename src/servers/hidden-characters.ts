/** Invisible characters: control, bidi, zero-width, tag and filler characters. */
const hidden = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Tab, line ends and emoji variation selectors. */
const harmless = new Set(['\t', '\n', '\r', '\ufe0e', '\ufe0f']);
/** The zero-width joiner inside an emoji, which has a visible effect. */
const emojiJoiner = /(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})/gu;
/** Most texts do not match and need no closer look. */
const unusual = /[^ -~\t\n\r]/;
const maxNamed = 5;
const known = new WeakMap<object, string | null>();

/** Returns a warning for the user if any text in a tool's definition contains invisible characters, otherwise null. */
export function noteOnHidden(definition: object): string | null {
  const before = known.get(definition);
  if (before !== undefined) return before;
  const note = makeNote(definition);
  known.set(definition, note);
  return note;
}

function makeNote(definition: object): string | null {
  const found = new Set<string>();
  collect(definition, found, 0);
  if (found.size === 0) return null;
  const codes = [...found].map((each) => `U+${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`);
  const more = codes.length > maxNamed ? ' and others' : '';
  return `Its text contains invisible characters (${codes.slice(0, maxNamed).join(', ')}${more}): a model may read more than you see.`;
}

function collect(value: unknown, found: Set<string>, depth: number): void {
  if (typeof value === 'string') {
    if (!unusual.test(value)) return;
    for (const match of value.replace(emojiJoiner, '').match(hidden) ?? []) if (!harmless.has(match)) found.add(match);
  } else if (typeof value === 'object' && value !== null && depth < 100) {
    for (const [key, each] of Object.entries(value)) {
      collect(key, found, depth);
      collect(each, found, depth + 1);
    }
  }
}
