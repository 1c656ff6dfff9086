/** Recognizes single lines of Markdown, and extracts the plain text of a heading. */

export function isRule(rest: string): boolean {
  return /^(?:\*[ \t]*){3,}$|^(?:-[ \t]*){3,}$|^(?:_[ \t]*){3,}$/.test(rest);
}

/** Tells whether a line ends a paragraph even without the markers of its containers. */
export function interruptsParagraph(rest: string): boolean {
  return (
    /^(?:#{1,6}(?:[ \t]|$)|>|`{3,}[^`]*$|~{3,}|(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$))/.test(rest) ||
    isRule(rest) ||
    (rest.startsWith('<') && htmlEnd(rest, true) !== undefined)
  );
}

const htmlKinds: [RegExp, RegExp][] = [
  [/^<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [/^<![a-z]/i, />/],
];
const blockTag =
  /^<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:\s|\/?>|$)/i;
const loneTag = /^<(?:[a-z][a-z0-9-]*(?:\s[^<>]*)?\/?|\/[a-z][a-z0-9-]*\s*)>\s*$/i;

/** Returns the pattern that ends an HTML block which begins with this line; null for a blank line; undefined if none begins. */
export function htmlEnd(rest: string, inParagraph: boolean): RegExp | null | undefined {
  const kind = htmlKinds.find(([start]) => start.test(rest));
  if (kind) return kind[1];
  if (blockTag.test(rest)) return null;
  return !inParagraph && loneTag.test(rest) ? null : undefined;
}

/** Recognizes the row under a table header, such as `| --- | :-: |`. */
export function isDelimiterRow(rest: string): boolean {
  return /^[|:-][|:\- \t]*$/.test(rest) && rest.includes('-') && (rest.includes('|') || rest.includes(':'));
}

export function columnsOf(row: string): number {
  let inner = row.trim();
  if (inner.startsWith('|')) inner = inner.slice(1);
  if (/(?:^|[^\\])\|$/.test(inner)) inner = inner.slice(0, -1);
  let columns = 1;
  for (let at = 0; at < inner.length; at += 1) {
    if (inner[at] === '\\') at += 1;
    else if (inner[at] === '|') columns += 1;
  }
  return columns;
}

/** Returns a heading without markup: closing `#`, emphasis, code, links, tags, an id in braces. */
export function plainHeading(title: string): string {
  return title
    .slice(0, 500)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?:^|\s)#+$/, '')
    .replace(/\s*\{#[^{}]*\}$/, '')
    .replace(/!?\[([^[\]]*)\](?:\([^()]*\)|\[[^[\]]*\])/g, '$1')
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/(\*\*|__|~~)(?=\S)([^*_~]+)\1/g, '$2')
    .replace(/(^|\W)([*_])(?=\S)([^*_]+)\2(?=\W|$)/g, '$1$3')
    .replace(/`+([^`]+)`+/g, '$1')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim()
    .slice(0, 200)
    .toWellFormed();
}
