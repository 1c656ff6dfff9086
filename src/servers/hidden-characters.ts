/** Control characters, bidi, zero width, tags, fillers: what a person does not see. */
const hidden = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
/** Tab and line ends; the selectors of how an emoji looks. */
const usual = new Set(['\t', '\n', '\r', '\ufe0e', '\ufe0f']);
/** As emoji are joined, which everybody sees. */
const joined = /(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})/gu;
/** Most texts need no closer look. */
const unusual = /[^ -~\t\n\r]/;
const maxNamed = 5;
const known = new WeakMap<object, string | null>();

/** A sentence for people when any text in the definition of a tool holds characters that are not seen; otherwise null. */
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
  return `Its texts hold characters that are not seen (${codes.slice(0, maxNamed).join(', ')}${more}); they may say more to a model than to you.`;
}

function collect(value: unknown, found: Set<string>, depth: number): void {
  if (typeof value === 'string') {
    if (!unusual.test(value)) return;
    for (const match of value.replace(joined, '').match(hidden) ?? []) if (!usual.has(match)) found.add(match);
  } else if (typeof value === 'object' && value !== null && depth < 100) {
    for (const [key, each] of Object.entries(value)) {
      collect(key, found, depth);
      collect(each, found, depth + 1);
    }
  }
}
