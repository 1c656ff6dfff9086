import { indentOf, isBlankLine, lineStart, type TextLines } from '../text-lines.ts';

/** The nesting depth of each line of a source file: by brackets if they are balanced, else by indentation. */
export type Levels = Int16Array;

export const blankLevel = -1;
/** The line begins inside a comment, string or brackets opened on an earlier line. */
export const insideLevel = 30_000;
/** Caps the depth, because each level costs a pass over the lines. */
const maxDepth = 40;

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
    else levels[line] = Math.min(maxDepth, depth === undefined || isPython ? indentOf(lines, line) : depth);
  }
  return levels;
}

/** Puts section headers and comments of an INI or TOML file at level 0, everything else below. */
export function sectionLevels(lines: TextLines): Levels {
  const levels = new Int16Array(lines.count);
  for (let line = 0; line < lines.count; line += 1) {
    const first = lines.body.charCodeAt(lines.starts[line] ?? 0);
    if (isBlankLine(lines, line)) levels[line] = blankLevel;
    else levels[line] = first === 91 || first === 35 || first === 59 ? 0 : 1;
  }
  return levels;
}

interface Syntax {
  hash: boolean;
  slashes: boolean;
  /** Strings in backticks may span lines. */
  backtick: boolean;
  triple: boolean;
  /** `'` delimits strings; otherwise only single characters. */
  apostrophe: boolean;
  regex: boolean;
}

const hashed = /x-(?:python|perl|powershell|r|hcl|awk|tcl|php|nix|graphql|jsonnet)$/;
const unslashed = /x-(?:python|perl|powershell|r|awk|tcl)$/;
const tripled = /x-(?:python|java|kotlin|scala|swift|csharp|dart|groovy|graphql)$/;
const quoted = /x-(?:python|typescript|perl|powershell|r|php|groovy|dart|jsonnet)$|javascript$|css$/;

/**
 * Returns how many brackets are open at the start of each line, after leading closing brackets; `insideLevel` for a line
 * that begins inside a comment or string. Returns null when brackets are unbalanced, because something was misread.
 */
function scanBrackets(lines: TextLines, contentType: string): Int32Array | null {
  const isScript = /typescript$|javascript$/.test(contentType);
  return new BracketScan(lines, {
    hash: hashed.test(contentType),
    slashes: !unslashed.test(contentType),
    backtick: isScript || contentType === 'text/x-go',
    triple: tripled.test(contentType),
    apostrophe: quoted.test(contentType),
    regex: isScript,
  }).run();
}

/** One pass over the text that tracks open brackets and strings. */
class BracketScan {
  readonly #lines: TextLines;
  readonly #body: string;
  readonly #syntax: Syntax;
  readonly #levels: Int32Array;
  /** The depths at which `${` interrupted a template string. */
  readonly #templates: number[] = [];
  #depth = 0;
  #line = 0;
  #atLineStart = true;
  /** The last character that is not a space. It tells a division from a regular expression. */
  #before = 10;

  constructor(lines: TextLines, syntax: Syntax) {
    this.#lines = lines;
    this.#body = lines.body;
    this.#syntax = syntax;
    this.#levels = new Int32Array(lines.count);
  }

  run(): Int32Array | null {
    const body = this.#body;
    let at = 0;
    while (at < body.length) {
      const code = body.charCodeAt(at);
      if (code === 10) {
        this.#nextLine(false);
        at += 1;
      } else if (code === 32 || code === 9) {
        at += 1;
      } else {
        at = this.#sign(code, at);
        if (at < 0) return null;
        this.#before = code;
      }
    }
    return this.#depth === 0 && this.#templates.length === 0 ? this.#levels : null;
  }

  /** Returns where to continue after a character; -1 for an unmatched closing bracket. */
  #sign(code: number, at: number): number {
    if (code === 125 || code === 41 || code === 93) return this.#closing(code, at);
    if (this.#atLineStart) this.#levels[this.#line] = this.#depth;
    this.#atLineStart = false;
    switch (code) {
      case 123:
      case 40:
      case 91:
        this.#depth += 1;
        return at + 1;
      case 34:
        return this.#text(at, code);
      case 39:
        return this.#syntax.apostrophe ? this.#text(at, code) : this.#character(at);
      case 96:
        return this.#syntax.backtick ? this.#template(at + 1) : at + 1;
      case 47:
        return this.#slash(at);
      case 35:
        return this.#syntax.hash ? this.#lineFeed(at) : at + 1;
      case 92:
        return this.#body.charCodeAt(at + 1) === 10 ? at + 1 : at + 2;
      default:
        return at + 1;
    }
  }

  #closing(code: number, at: number): number {
    if (code === 125 && this.#templates.at(-1) === this.#depth) {
      this.#templates.pop();
      this.#atLineStart = false;
      return this.#template(at + 1);
    }
    this.#depth -= 1;
    if (this.#atLineStart) this.#levels[this.#line] = this.#depth;
    return this.#depth < 0 ? -1 : at + 1;
  }

  #slash(at: number): number {
    const next = this.#body.charCodeAt(at + 1);
    if (next === 47 && this.#syntax.slashes) return this.#lineFeed(at);
    if (next === 42 && this.#syntax.slashes) return this.#inside(at, this.#body.indexOf('*/', at + 2), 2);
    if (!this.#syntax.regex || !isBeforeRegex(this.#before)) return at + 1;
    for (let end = at + 1, inClass = false; end < this.#body.length; end += 1) {
      const code = this.#body.charCodeAt(end);
      if (code === 10) break;
      if (code === 92) end += 1;
      else if (code === 91) inClass = true;
      else if (code === 93) inClass = false;
      else if (code === 47 && !inClass) return end + 1;
    }
    return at + 1;
  }

  /** A quoted string ends with its line, unless it is triple-quoted. */
  #text(at: number, quote: number): number {
    const body = this.#body;
    if (this.#syntax.triple && body.charCodeAt(at + 1) === quote && body.charCodeAt(at + 2) === quote) {
      return this.#inside(at, body.indexOf(body.slice(at, at + 3), at + 3), 3);
    }
    for (let end = at + 1; end < body.length; end += 1) {
      const code = body.charCodeAt(end);
      if (code === quote) return end + 1;
      if (code === 92 && body.charCodeAt(end + 1) !== 10) end += 1;
      else if (code === 10) return end;
    }
    return body.length;
  }

  /** `'x'` and `'\n'`, but not the `'` of a lifetime or a digit separator. */
  #character(at: number): number {
    const end = this.#body.indexOf("'", this.#body.charCodeAt(at + 1) === 92 ? at + 3 : at + 1);
    return end > at && end - at <= 12 && !this.#body.slice(at, end).includes('\n')
      ? this.#characterEnd(at, end)
      : at + 1;
  }

  #characterEnd(at: number, end: number): number {
    return this.#body.charCodeAt(at + 1) === 92 || end - at <= 3 ? end + 1 : at + 1;
  }

  #template(from: number): number {
    for (let at = from; at < this.#body.length; at += 1) {
      const code = this.#body.charCodeAt(at);
      if (code === 92) at += 1;
      else if (code === 96) return at + 1;
      else if (code === 10) this.#nextLine(true);
      else if (code === 36 && this.#syntax.regex && this.#body.charCodeAt(at + 1) === 123) {
        this.#templates.push(this.#depth);
        return at + 2;
      }
    }
    return -1;
  }

  /** Skips lines up to `end`. Returns -1 when the end was not found. */
  #inside(from: number, end: number, width: number): number {
    if (end < 0) return -1;
    while (lineStart(this.#lines, this.#line + 1) <= end) this.#nextLine(true);
    return Math.max(from + 1, end + width);
  }

  #nextLine(isInside: boolean): void {
    this.#line += 1;
    this.#atLineStart = !isInside;
    if (isInside) this.#levels[this.#line] = insideLevel;
  }

  #lineFeed(at: number): number {
    const end = this.#body.indexOf('\n', at);
    return end < 0 ? this.#body.length : end;
  }
}

/** A slash after an operator or opening bracket begins a regular expression. After a name or number it divides. */
function isBeforeRegex(code: number): boolean {
  return '\n(,=:[!&|?{};+-*%<>~^'.includes(String.fromCharCode(code));
}
