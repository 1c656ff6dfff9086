import { readTemplate } from '../../../../src/agents/exposes/read-template.ts';
import { typesOf } from '../../../../src/agents/exposes/schema-views.ts';
import { resolveReference, type TemplateTool } from '../../../../src/agents/exposes/template-values.ts';

/** A part of a template that is more than text. */
export interface TemplateMark {
  from: number;
  to: number;
  kind: 'known' | 'unknown' | 'escaped';
  /** What it stands for, or what is wrong. */
  title: string;
}

export function markTemplate(template: string, tool: TemplateTool): TemplateMark[] {
  const marks: TemplateMark[] = [];
  let at = 0;
  for (const piece of readTemplate(template)) {
    if (piece.kind === 'reference') {
      const resolved = resolveReference(piece.path, tool);
      const title = resolved.kind === 'unknown' ? resolved.problem : titleOf(resolved);
      marks.push({ from: piece.from, to: piece.to, kind: resolved.kind === 'unknown' ? 'unknown' : 'known', title });
      at = piece.to;
    } else if (piece.kind === 'brace') {
      marks.push({ from: at, to: at + 1, kind: 'unknown', title: `Write ${piece.text}${piece.text} for a brace.` });
      at += 1;
    } else {
      // A brace that is text was written twice; other text has none.
      const isEscaped = piece.text === '{' || piece.text === '}';
      if (isEscaped) marks.push({ from: at, to: at + 2, kind: 'escaped', title: `A “${piece.text}” that is text` });
      at += isEscaped ? 2 : piece.text.length;
    }
  }
  return marks;
}

function titleOf(resolved: Exclude<ReturnType<typeof resolveReference>, { kind: 'unknown' }>): string {
  if (resolved.kind === 'tool') return `The tool’s own ${resolved.key}`;
  const { views } = resolved;
  const description = views.find((view) => view.description)?.description;
  return [[...typesOf(views)].join(' or ') || 'Any value', description].filter(Boolean).join(': ');
}
