import { indentOf, isBlankLine, type TextLines } from '../text-lines.ts';
import { scanBrackets } from './scan-brackets.ts';

/** How deep each line of a source file stands: by brackets where they are balanced, else by indentation. */
export type Levels = Int16Array;

export const blankLevel = -1;
/** The line begins inside a comment, a text or brackets that an earlier line opened. */
export const insideLevel = 30_000;
/** Deeper lines count as this deep, because each level costs a walk over the lines. */
const deepest = 40;

export function codeLevels(lines: TextLines, contentType: string, family: 'brace' | 'indent'): Levels {
  const levels = new Int16Array(lines.count);
  const isPython = contentType === 'text/x-python';
  const scan = family === 'brace' || isPython ? scanBrackets(lines, contentType) : null;
  for (let line = 0; line < lines.count; line += 1) {
    if (isBlankLine(lines, line)) {
      levels[line] = blankLevel;
      continue;
    }
    const depth = scan?.[line];
    if (depth === insideLevel || (isPython && depth !== undefined && depth > 0)) levels[line] = insideLevel;
    else levels[line] = Math.min(deepest, depth === undefined || isPython ? indentOf(lines, line) : depth);
  }
  return levels;
}

/** Sections of an INI or TOML file stand at the left, everything else under them. */
export function sectionLevels(lines: TextLines): Levels {
  const levels = new Int16Array(lines.count);
  for (let line = 0; line < lines.count; line += 1) {
    const first = lines.body.charCodeAt(lines.starts[line] ?? 0);
    if (isBlankLine(lines, line)) levels[line] = blankLevel;
    else levels[line] = first === 91 || first === 35 || first === 59 ? 0 : 1;
  }
  return levels;
}
