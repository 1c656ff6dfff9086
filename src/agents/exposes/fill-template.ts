import { referencedValue, resolveReference, type TemplateTool } from './template-values.ts';

/** The values that a template can refer to: the tool, and the parameters of one call. */
export interface TemplateValues {
  tool: TemplateTool;
  /** The parameters of the call. */
  parameters: Readonly<Record<string, unknown>>;
}

/**
 * Returns the prompt of one call. Fills each reference once and never reads a value as a template. A missing value becomes its
 * default, or an empty text.
 */
export function fillTemplate(template: string, values: TemplateValues): string {
  return fill(template, values, () => '');
}

/** Like `fillTemplate`, but leaves `{x}` if a value is missing. */
export function previewTemplate(template: string, values: TemplateValues): string {
  return fill(template, values, (reference) => reference);
}

/** Returns the references in a template, with their positions. */
export function templateReferences(template: string): { path: string; from: number; to: number }[] {
  return readTemplate(template).flatMap((piece) =>
    piece.kind === 'reference' ? [{ path: piece.path, from: piece.from, to: piece.to }] : [],
  );
}

/** Returns the problems of a template, in sentences: unknown references and unmatched braces. */
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
  const what = brace === '{' ? 'has no closing brace' : 'has no opening brace';
  return `A "${brace}" in line ${line} ${what}. Write ${brace}${brace} for a literal brace.`;
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

/** A part of a template: literal text, a reference to a value, or an unmatched brace. */
type TemplatePiece =
  | { kind: 'text'; text: string }
  | { kind: 'reference'; path: string; from: number; to: number }
  | { kind: 'brace'; text: '{' | '}'; from: number };

/**
 * Parses a template. `{a.b}` is a reference; `{{` and `}}` are literal braces. An unmatched brace stays as text in its own piece, so
 * that it can be reported.
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

  /** Returns the position of the closing brace, or undefined if another brace comes first. */
  function endOfReference(from: number): number | undefined {
    const next = /[{}]/g;
    next.lastIndex = from + 1;
    const found = next.exec(template);
    return found?.[0] === '}' ? found.index : undefined;
  }
}
