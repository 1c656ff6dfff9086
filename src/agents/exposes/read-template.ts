/** A part of a template: text that stands as it is, or a reference to a value. */
export type TemplatePiece =
  | { kind: 'text'; text: string }
  | { kind: 'reference'; path: string; from: number; to: number }
  | { kind: 'brace'; text: '{' | '}'; from: number };

/**
 * `{a.b}` is a reference, `{{` and `}}` are literal braces. A brace that is neither stands as it is and has a piece of
 * its own, for the check at save.
 */
export function readTemplate(template: string): TemplatePiece[] {
  const pieces: TemplatePiece[] = [];
  const braces = /[{}]/g;
  let start = 0;
  for (let found = braces.exec(template); found; found = braces.exec(template)) {
    const { index } = found;
    const brace = found[0] === '{' ? '{' : '}';
    addText(index);
    if (template[index + 1] === brace) {
      pieces.push({ kind: 'text', text: brace });
      start = index + 2;
    } else {
      const end = brace === '{' ? endOfReference(index) : undefined;
      if (end === undefined) pieces.push({ kind: 'brace', text: brace, from: index });
      else pieces.push({ kind: 'reference', path: template.slice(index + 1, end), from: index, to: end + 1 });
      start = (end ?? index) + 1;
    }
    braces.lastIndex = start;
  }
  addText(template.length);
  return pieces;

  function addText(end: number): void {
    if (end > start) pieces.push({ kind: 'text', text: template.slice(start, end) });
  }

  /** The next brace closes it, or it is none. */
  function endOfReference(from: number): number | undefined {
    const next = /[{}]/g;
    next.lastIndex = from + 1;
    const found = next.exec(template);
    return found?.[0] === '}' ? found.index : undefined;
  }
}
