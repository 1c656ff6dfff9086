/** Control characters but tab and line ends, soft hyphen, bidi, zero width, variation selectors, tags: what a person does not see. */
const hidden =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
/** As emoji are joined, which everybody sees. */
const joined = /(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})/gu;
const mostNamed = 5;

/** A sentence for people when any text in the definition of a tool holds characters that are not seen; otherwise null. */
export function noteOnHidden(definition: unknown): string | null {
  const found = new Set<string>();
  collect(definition, found, 0);
  if (found.size === 0) return null;
  const codes = [...found].map((each) => `U+${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`);
  const more = codes.length > mostNamed ? ' and others' : '';
  return `Its texts hold characters that are not seen (${codes.slice(0, mostNamed).join(', ')}${more}); they may say more to a model than to you.`;
}

function collect(value: unknown, found: Set<string>, depth: number): void {
  if (typeof value === 'string') {
    for (const match of value.replace(joined, '').match(hidden) ?? []) found.add(match);
  } else if (typeof value === 'object' && value !== null && depth < 100) {
    for (const [key, each] of Object.entries(value)) {
      collect(key, found, depth);
      collect(each, found, depth + 1);
    }
  }
}
