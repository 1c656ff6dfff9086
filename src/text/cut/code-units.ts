import { lineStart, type TextLines } from '../text-lines.ts';
import { blankLevel, insideLevel, type Levels } from './code-levels.ts';

/** A declaration with the comments before it, or lines that stand together. Lines count from 0, `end` is not included. */
export interface CodeUnit {
  start: number;
  end: number;
  /** The first line that is no comment, decorator or attribute. */
  declaration: number;
  /** The first line that stands deeper; -1 when there is none. */
  bodyStart: number;
}

const closer =
  /^(?:[}\])]|end\b|else\b|elif\b|elsif\b|elseif\b|except\b|finally\b|rescue\b|ensure\b|fi\b|done\b|esac\b|catch\b|<\/)/i;
const lead = /^(?:\/\/|\/\*|\*|#(?:[\s#![]|$)|--|;|%|@[\w(]|\[[A-Z]\w*[\](]|template\s*<|<!--|rem\s)/i;

/** The units of a range at its lowest level. They leave no gap. */
export function codeUnits(lines: TextLines, levels: Levels, start: number, end: number): CodeUnit[] {
  const base = lowestLevel(lines, levels, start, end);
  const units: CodeUnit[] = [];
  const begin = (first: number, declaration: number) => {
    const unit = { start: first, end, declaration, bodyStart: -1 };
    units.push(unit);
    return unit;
  };
  let unit: CodeUnit | null = null;
  let isLeadOnly = true;
  let wasLead = false;
  /** The last line at the lowest level and the comments right before it: what a deeper line belongs to. */
  let last = { start, declaration: start };
  for (let line = start; line < end; line += 1) {
    const level = levels[line] ?? blankLevel;
    if (level === blankLevel) continue;
    if (unit && level > base) {
      // The further lines of a comment before a declaration are no body.
      if (unit.bodyStart >= 0 || (level === insideLevel && isLeadOnly)) continue;
      if (last.start > unit.start && !isLeadOnly) unit = begin(last.start, last.declaration);
      unit.bodyStart = line;
      continue;
    }
    const signs = firstSigns(lines, line);
    const isLead = lead.test(signs);
    const hasBody: boolean = unit !== null && unit.bodyStart >= 0;
    const isAfterBlank = line > start && levels[line - 1] === blankLevel;
    // A brace on a line of its own opens what the line before it declares.
    const goesOn = level < base || closer.test(signs) || (signs.startsWith('{') && !hasBody && !isAfterBlank);
    if (unit && goesOn) continue;
    if (!unit || isAfterBlank || hasBody || (isLead && !wasLead && !isLeadOnly)) {
      unit = begin(line, line);
      isLeadOnly = true;
      wasLead = false;
    }
    last = { start: wasLead ? last.start : line, declaration: line };
    if (!isLead && isLeadOnly) {
      unit.declaration = line;
      isLeadOnly = false;
    }
    wasLead = isLead;
  }
  units.forEach((each, index) => {
    each.end = units[index + 1]?.start ?? end;
  });
  const first = units[0];
  if (first) first.start = start;
  return units;
}

/** Lines that close something stand lower than what they end, and are no measure. */
function lowestLevel(lines: TextLines, levels: Levels, start: number, end: number): number {
  let lowest = insideLevel;
  for (let line = start; line < end; line += 1) {
    const level = levels[line] ?? blankLevel;
    if (level !== blankLevel && level < lowest && !closer.test(firstSigns(lines, line))) lowest = level;
  }
  return lowest;
}

function firstSigns(lines: TextLines, line: number): string {
  const start = lineStart(lines, line);
  const end = Math.min(lineStart(lines, line + 1) - 1, start + 200);
  let at = start;
  while (at < end && (lines.body.charCodeAt(at) === 32 || lines.body.charCodeAt(at) === 9)) at += 1;
  return lines.body.slice(at, Math.min(end, at + 24));
}
