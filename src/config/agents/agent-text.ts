import { type Document, LineCounter, parseDocument } from 'yaml';
import { HubError } from '../../base/hub-error.ts';
import { parseJson } from '../../base/json.ts';
import { at } from '../read-config.ts';

const limits = { maxCharacters: 4 * 1024 * 1024, maxDepth: 64, maxElements: 200_000 };
/** How often what stands at an anchor may be repeated, all repetitions of repetitions counted. */
const maxAliases = 50;

/** What a file of YAML or JSON holds, as plain data. */
export interface AgentText {
  value: unknown;
  /** From 1, where the format tells. */
  lineOf(path: readonly PropertyKey[]): number | undefined;
  /** A scalar as it was written: 1.0 stays 1.0. */
  writtenAt(path: readonly PropertyKey[]): string | undefined;
}

/** Throws INVALID_CONFIG with file, line and rule. `shown` names the file in messages, and its ending the format. */
export function readAgentText(text: string, shown: string): AgentText {
  if (/\.json$/i.test(shown))
    return { value: fromJson(text, shown), lineOf: () => undefined, writtenAt: () => undefined };
  const lines = new LineCounter();
  const document = guarded(shown, () =>
    // Nothing of YAML 1.1 and nothing of our own: no dates, no binary, no merge keys, no tags that make objects.
    parseDocument(text, { version: '1.2', schema: 'core', merge: false, lineCounter: lines, prettyErrors: false }),
  );
  const wrong = document.errors[0] ?? document.warnings[0];
  if (wrong) {
    const { line } = lines.linePos(wrong.pos[0]);
    throw new HubError('INVALID_CONFIG', `${at(shown, line)}: this is not valid YAML: ${oneLine(wrong.message)}`);
  }
  const value: unknown = guarded(shown, () => document.toJS({ maxAliasCount: maxAliases }));
  checkPlain(value, shown);
  return {
    value,
    lineOf: (path) => lineOf(document, lines, path),
    writtenAt: (path) => sourceOf(document.getIn(path, true)),
  };
}

function fromJson(text: string, shown: string): unknown {
  try {
    return parseJson(text, limits);
  } catch (error) {
    throw new HubError('INVALID_CONFIG', `${shown}: ${error instanceof HubError ? error.message : 'is not JSON'}`, {
      cause: error,
    });
  }
}

/** The library answers hostile nesting with the end of the stack, and hostile aliases with an error of its own. */
function guarded<T>(shown: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    const isDeep = error instanceof RangeError;
    const message = error instanceof Error ? oneLine(error.message) : 'unknown';
    throw new HubError('INVALID_CONFIG', `${shown}: ${isDeep ? 'is nested too deep' : message}`, { cause: error });
  }
}

/** Only what JSON can say, within the limits. */
function checkPlain(root: unknown, shown: string): void {
  let elements = 0;
  const refuse = (rule: string): never => {
    throw new HubError('INVALID_CONFIG', `${shown}: ${rule}`);
  };
  const walk = (value: unknown, depth: number): void => {
    elements += 1;
    if (elements > limits.maxElements) refuse(`holds more than ${limits.maxElements} values.`);
    if (depth > limits.maxDepth) refuse(`is nested deeper than ${limits.maxDepth} levels.`);
    if (typeof value === 'number' && !Number.isFinite(value)) refuse('holds a number that is none in JSON.');
    if (typeof value === 'bigint') refuse('holds a number that is too large.');
    if (typeof value !== 'object' || value === null) return;
    const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
    if (!isPlain) refuse('holds a value that JSON does not know.');
    if (Object.hasOwn(value, '__proto__')) refuse('the key "__proto__" is not accepted.');
    for (const each of Object.values(value)) walk(each, depth + 1);
  };
  walk(root, 0);
}

/** Of the deepest part of the path that is there. */
function lineOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
    if (Array.isArray(range)) return lines.linePos(Number(range[0])).line;
  }
  return undefined;
}

function sourceOf(node: unknown): string | undefined {
  const source = typeof node === 'object' && node !== null && 'source' in node ? node.source : undefined;
  return typeof source === 'string' ? source : undefined;
}

function oneLine(message: string): string {
  return (message.split('\n')[0] ?? '').slice(0, 300);
}
