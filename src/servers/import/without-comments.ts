/** JSON as people write it, without comments and trailing commas; everything else stays in its place. */
export function withoutComments(text: string): string {
  const parts = text.match(/"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[^"/]+|\//g) ?? [];
  const clean = parts.map((part) => (part.startsWith('//') || part.startsWith('/*') ? ' ' : part)).join('');
  const again = clean.match(/"(?:[^"\\\n]|\\.)*"?|[^"]+/g) ?? [];
  return again.map((part) => (part.startsWith('"') ? part : part.replace(/,(\s*[}\]])/g, '$1'))).join('');
}
