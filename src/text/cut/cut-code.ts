import type { Chunk } from '../../knowledge/document.ts';
import { lineAt, lineStart, lineText, type Span, type TextLines } from '../text-lines.ts';
import { codeLevels, type Levels, sectionLevels } from './code-levels.ts';
import { type CodeUnit, codeUnits } from './code-units.ts';
import { type ChunkLimits, type CutPlan, cutPassages, type Part } from './cut-passages.ts';
import { readDeclaration } from './declaration-name.ts';
import { lineStarts, spansBetween } from './split-prose.ts';

/** Declarations are joined as long as they fit: a function of three lines tells more beside its neighbours. */
const plan = { small: 1, joined: 1, isProse: false } satisfies Partial<CutPlan>;
/** Names of declarations inside declarations. */
const deepestName = 8;

interface CodeText {
  lines: TextLines;
  levels: Levels;
  contentType: string;
}

/** Cuts along declarations; what is too large, along the blocks inside; never inside a line that fits. */
export function cutCode(
  lines: TextLines,
  contentType: string,
  family: 'brace' | 'indent' | 'sections',
  limits: ChunkLimits,
): Chunk[] {
  const levels = family === 'sections' ? sectionLevels(lines) : codeLevels(lines, contentType, family);
  const code: CodeText = { lines, levels, contentType };
  const split = (span: Span) => splitCode(code, span);
  return cutPassages({ lines, wraps: [] }, readParts(code, 0, lines.count, []), { ...plan, split }, limits);
}

function readParts(code: CodeText, start: number, end: number, path: readonly string[]): Part[] {
  const parts: Part[] = [];
  for (const unit of codeUnits(code.lines, code.levels, start, end)) {
    const part = toPart(code, unit, path);
    const last = parts.at(-1);
    if (last && part.heading === path && last.heading === path && last.parts().length === 0) last.end = part.end;
    else parts.push(part);
  }
  return parts;
}

function toPart(code: CodeText, unit: CodeUnit, path: readonly string[]): Part {
  const { start, end, bodyStart } = unit;
  const isBrackets = /^\s*[[{(]\s*$/.test(lineText(code.lines, unit.declaration).slice(0, 100));
  const found =
    bodyStart < 0 || isBrackets ? null : readDeclaration(lineText(code.lines, unit.declaration), code.contentType);
  // The outer brackets of a JSON file have no name, but what is in them has.
  const isContainer = bodyStart >= 0 && path.length < deepestName && (isBrackets || (found?.isContainer ?? false));
  const heading = found ? [...path, found.name] : path;
  const part: Part = { heading, start, end, parts: () => (isContainer ? readInside(code, part, bodyStart) : []) };
  // Imports beside a function take nothing from its name; an entry of a data file beside another one does.
  if (!found && !code.contentType.startsWith('application/')) part.isNameless = true;
  return part;
}

/** What stands in a declaration; nothing when none of it has a name, so that it is cut as one text. */
function readInside(code: CodeText, part: Part, bodyStart: number): Part[] {
  const inside = readParts(code, bodyStart, part.end, part.heading);
  if (inside.every((each) => each.heading === part.heading && each.parts().length === 0)) return [];
  const first = inside[0];
  // One line such as `class A {` says too little alone.
  if (first && bodyStart - part.start === 1) {
    first.start = part.start;
    return inside;
  }
  const head: Part = { heading: part.heading, start: part.start, end: bodyStart, parts: () => [], isNameless: true };
  return [head, ...inside];
}

function splitCode({ lines, levels }: CodeText, span: Span): Span[] {
  const first = lineAt(lines, span.start);
  const last = lineAt(lines, span.end - 1) + 1;
  if (lineStart(lines, first) === span.start && last - first > 1) {
    const units = codeUnits(lines, levels, first, last);
    const only = units[0];
    if (units.length > 1)
      return spansOf(
        lines,
        units.map((unit) => unit.start),
        span.end,
      );
    if (only && only.bodyStart > first) {
      const inside = codeUnits(lines, levels, only.bodyStart, last).map((unit) => unit.start);
      return spansOf(lines, [first, ...inside], span.end);
    }
  }
  return spansBetween(lines.body, lineStarts(lines.body, span), span.end);
}

function spansOf(lines: TextLines, starts: readonly number[], end: number): Span[] {
  return spansBetween(
    lines.body,
    starts.map((line) => lineStart(lines, line)),
    end,
  );
}
