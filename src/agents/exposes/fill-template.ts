import { referencedValue, resolveReference, type TemplateTool } from './template-values.ts';

/** A template, and what it may name: the tool, and the arguments of one call. */
export interface TemplateValues {
  tool: TemplateTool;
  /** Of the call, as they were given. */
  parameters: Readonly<Record<string, unknown>>;
}

/**
 * The prompt of one call. Each reference is filled once; a value is never read as a template. What was not given is its
 * default, else nothing.
 */
export function fillTemplate(template: string, values: TemplateValues): string {
  return fill(template, values, () => '');
}

/** As `fillTemplate`, with `{x}` left where a value is missing. */
export function previewTemplate(template: string, values: TemplateValues): string {
  return fill(template, values, (reference) => reference);
}

/** Where a template names what. */
export function templateReferences(template: string): { path: string; from: number; to: number }[] {
  return readTemplate(template).flatMap((piece) =>
    piece.kind === 'reference' ? [{ path: piece.path, from: piece.from, to: piece.to }] : [],
  );
}

/** What is wrong with a template, in sentences: what it names is not there, or a brace stands alone. */
export function templateProblems(template: string, tool: TemplateTool): string[] {
  const problems = new Set<string>();
  let line = 1;
  for (const piece of readTemplate(template)) {
    if (piece.kind === 'brace') problems.add(loneBrace(piece.text, line));
    else if (piece.kind === 'text') line += piece.text.split('\n').length - 1;
    else {
      const resolved = resolveReference(piece.path, tool);
      if (resolved.kind === 'unknown') problems.add(resolved.problem);
      line += piece.path.split('\n').length - 1;
    }
    if (problems.size === maxProblems) break;
  }
  return [...problems];
}

const maxProblems = 20;

function loneBrace(brace: '{' | '}', line: number): string {
  const what = brace === '{' ? 'is opened and not closed' : 'is closed and was not opened';
  return `A "${brace}" in line ${line} ${what}. Write ${brace}${brace} for a brace that is text.`;
}

function fill(template: string, { tool, parameters }: TemplateValues, missing: (reference: string) => string): string {
  return readTemplate(template)
    .map((piece) => {
      if (piece.kind !== 'reference') return piece.text;
      const resolved = resolveReference(piece.path, tool);
      if (resolved.kind === 'unknown') return `{${piece.path}}`;
      const value = referencedValue(resolved, tool, parameters);
      return value === undefined ? missing(`{${piece.path}}`) : print(value);
    })
    .join('');
}

function print(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A part of a template: text that stands as it is, or a reference to a value. */
type TemplatePiece =
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
