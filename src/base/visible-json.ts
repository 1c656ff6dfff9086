/** Control, bidi, zero-width, tag and filler characters, and line separators. JSON escapes only some of them. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns text in which every character can be seen. Keeps line breaks and tabs. */
export function visibleText(text: string): string {
  return text.replace(invisible, (character) =>
    character === '\n' || character === '\t' ? character : escapeUnits(character),
  );
}

/** Returns a value as indented JSON in which every character can be seen: invisible ones are escaped. */
export function visibleJson(value: unknown, indent = 2): string {
  const text = JSON.stringify(value, null, indent) ?? 'null';
  return text.replace(invisible, (character) => (character === '\n' ? character : escapeUnits(character)));
}

function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
