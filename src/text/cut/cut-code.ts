import type { Chunk } from '../../knowledge/document.ts';
import { lineAt, lineStart, lineText, type Span, type TextLines } from '../text-lines.ts';
import { blankLevel, codeLevels, insideLevel, type Levels, sectionLevels } from './code-levels.ts';
import { type ChunkLimits, type CutPlan, cutPassages, type Part } from './cut-passages.ts';
import { lineStarts, spansBetween } from './split-prose.ts';

/** Joins declarations as long as they fit, because a three-line function means more next to its neighbours. */
const plan = { small: 1, joined: 1, isProse: false } satisfies Partial<CutPlan>;
/** The maximum nesting depth of declaration names. */
const maxNameDepth = 8;

interface CodeText {
  lines: TextLines;
  levels: Levels;
  contentType: string;
}

/** Cuts between declarations, and large ones between the blocks inside. Never cuts inside a line that fits. */
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
  // The outer brackets of a JSON file have no name, but their contents do.
  const isContainer = bodyStart >= 0 && path.length < maxNameDepth && (isBrackets || (found?.isContainer ?? false));
  const heading = found ? [...path, found.name] : path;
  const part: Part = { heading, start, end, parts: () => (isContainer ? readInside(code, part, bodyStart) : []) };
  // Joined with imports, a function keeps its name. Joined entries of a data file do not.
  if (!found && !code.contentType.startsWith('application/')) part.isNameless = true;
  return part;
}

/** Returns the parts of a declaration; none if no part has a name, so that it is cut as one text. */
function readInside(code: CodeText, part: Part, bodyStart: number): Part[] {
  const inside = readParts(code, bodyStart, part.end, part.heading);
  if (inside.every((each) => each.heading === part.heading && each.parts().length === 0)) return [];
  const first = inside[0];
  // A single line such as `class A {` means too little alone.
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

/** A declaration with its leading comments, or adjacent lines. Lines are numbered from 0. `end` is exclusive. */
interface CodeUnit {
  start: number;
  end: number;
  /** The first line that is not a comment, decorator or attribute. */
  declaration: number;
  /** The first line that is nested deeper, or -1. */
  bodyStart: number;
}

const closer =
  /^(?:[}\])]|end\b|else\b|elif\b|elsif\b|elseif\b|except\b|finally\b|rescue\b|ensure\b|fi\b|done\b|esac\b|catch\b|<\/)/i;
const lead = /^(?:\/\/|\/\*|\*|#(?:[\s#![]|$)|--|;|%|@[\w(]|\[[A-Z]\w*[\](]|template\s*<|<!--|rem\s)/i;

/** Splits a range into units at its lowest level, without gaps. */
function codeUnits(lines: TextLines, levels: Levels, start: number, end: number): CodeUnit[] {
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
  /** The last line at the lowest level, with the comments right before it. Deeper lines belong to it. */
  let last = { start, declaration: start };
  for (let line = start; line < end; line += 1) {
    const level = levels[line] ?? blankLevel;
    if (level === blankLevel) continue;
    if (unit && level > base) {
      // Continuation lines of a leading comment are not a body.
      if (unit.bodyStart >= 0 || (level === insideLevel && isLeadOnly)) continue;
      if (last.start > unit.start && !isLeadOnly) unit = begin(last.start, last.declaration);
      unit.bodyStart = line;
      continue;
    }
    const characters = firstCharacters(lines, line);
    const isLead = lead.test(characters);
    const hasBody: boolean = unit !== null && unit.bodyStart >= 0;
    const isAfterBlank = line > start && levels[line - 1] === blankLevel;
    // A brace on its own line belongs to the declaration before it.
    const continuesUnit =
      level < base || closer.test(characters) || (characters.startsWith('{') && !hasBody && !isAfterBlank);
    if (unit && continuesUnit) continue;
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

/** Ignores closing lines, which may be nested less deeply than the code they close. */
function lowestLevel(lines: TextLines, levels: Levels, start: number, end: number): number {
  let lowest = insideLevel;
  for (let line = start; line < end; line += 1) {
    const level = levels[line] ?? blankLevel;
    if (level !== blankLevel && level < lowest && !closer.test(firstCharacters(lines, line))) lowest = level;
  }
  return lowest;
}

function firstCharacters(lines: TextLines, line: number): string {
  const start = lineStart(lines, line);
  const end = Math.min(lineStart(lines, line + 1) - 1, start + 200);
  let at = start;
  while (at < end && (lines.body.charCodeAt(at) === 32 || lines.body.charCodeAt(at) === 9)) at += 1;
  return lines.body.slice(at, Math.min(end, at + 24));
}

/** The name of a declaration, and whether it contains named declarations. */
interface Declaration {
  name: string;
  isContainer: boolean;
}

const containers =
  /\b(?:class|interface|struct|enum|union|trait|protocol|extension|object|record|module|namespace|mod|contract|library|service|defmodule|message|schema)\s+(?:class\s+|struct\s+)?([A-Za-z_$][\w$.:]*)/;
const implementation = /^(?:unsafe\s+)?impl(?:<[^{}]*?>)?\s+([^{}]{1,120}?)\s*(?:\bwhere\b|\{|$)/;
const created =
  /^create\s+(?:or\s+replace\s+)?(?:temp\w*\s+|unique\s+)?(?:table|view|function|procedure|trigger|index|type|schema)\s+(?:if\s+not\s+exists\s+)?["`[]?([\w.]+)/i;
const receiver = /^func\s+\([^)]*\)\s*(\w+)/;
const functions =
  /\b(?:function\*?|func|fn|fun|def|defp|defun|defn-?|defmacro|sub|proc|macro_rules!|procedure|macro|type|typedef)\s+([A-Za-z_$][\w$.:]*[?!]?)/;
const variables =
  /^(?:export\s+)?(?:default\s+)?(?:pub\s+)?(?:local\s+)?(?:const|let|var|val|static|my)\s+(?:mut\s+)?([A-Za-z_$][\w$]*)/;
const suites = /^(?:describe|context|suite|it|test)(?:\.\w+)*\(\s*(['"`])(.{1,100}?)\1/;
const blocks =
  /^(resource|data|provider|variable|output|module|model|table|type|input|scalar)\s+"?([\w./-]+)"?(?:\s+"([\w./-]+)")?/;
const called = /([A-Za-z_$~][\w$]*)\s*(?:<[^<>()]*>)?\s*\(/g;
const noName =
  /^(?:if|for|while|switch|catch|return|function|sizeof|with|using|lock|foreach|elseif|match|do|try|new|await|typeof|super|assert|unless|until|guard|when|and|or|not|in|require|import|use|static_assert)$/;

/** Reads the name from the first line of a declaration. Returns null if it has none. */
function readDeclaration(line: string, contentType: string): Declaration | null {
  const text = line.slice(0, 300).trim();
  const data = dataKey(text, contentType);
  if (data !== undefined) return data === '' ? null : { name: data.slice(0, 100), isContainer: true };
  const suite = suites.exec(text)?.[2];
  if (suite !== undefined) return { name: suite, isContainer: /^(?:describe|context|suite)/.test(text) };
  const block = blocks.exec(text);
  if (block && /x-(?:hcl|prisma|graphql)$/.test(contentType)) {
    return { name: [block[2], block[3]].filter(Boolean).join('.'), isContainer: false };
  }
  const container = implementation.exec(text)?.[1] ?? containers.exec(text)?.[1];
  if (container !== undefined && !isInsideText(text, container)) return { name: container, isContainer: true };
  const name =
    receiver.exec(text)?.[1] ??
    created.exec(text)?.[1] ??
    functions.exec(text)?.[1] ??
    variables.exec(text)?.[1] ??
    calledName(text);
  return name === undefined ? null : { name, isContainer: false };
}

/** Returns undefined for a language that is not a data format. */
function dataKey(text: string, contentType: string): string | undefined {
  switch (contentType) {
    case 'application/json':
      return /^"((?:[^"\\]|\\.){1,100})"\s*:/.exec(text)?.[1] ?? '';
    case 'application/yaml':
      return /^(?:-\s+)?["']?([\w./@ -]{1,100}?)["']?\s*:(?:\s|$)/.exec(text)?.[1] ?? '';
    case 'application/xml':
      return xmlName(text);
    case 'text/css':
      return text.replace(/\s*\{.*$/, '').slice(0, 100);
    case 'application/toml':
    case 'text/x-ini':
      return /^\[+\s*([^\]]{1,100}?)\s*\]/.exec(text)?.[1] ?? '';
    case 'text/x-makefile':
      return /^([\w./%-]{1,100})\s*:(?!=)/.exec(text)?.[1] ?? '';
    default:
      return undefined;
  }
}

function xmlName(text: string): string {
  const tag = /^<([\w:.-]{1,100})/.exec(text)?.[1] ?? '';
  const id = /\s(?:id|name|key)\s*=\s*"([^"]{1,100})"/i.exec(text)?.[1];
  return id === undefined ? tag : `${tag} ${id}`;
}

/** Detects names inside quotes: a quoted word such as `class` declares nothing. */
function isInsideText(text: string, name: string): boolean {
  const before = text.slice(0, text.indexOf(name));
  return (before.match(/["`]/g)?.length ?? 0) % 2 === 1;
}

function calledName(text: string): string | undefined {
  for (const [, name] of text.matchAll(called)) if (name !== undefined && !noName.test(name)) return name;
  return undefined;
}
