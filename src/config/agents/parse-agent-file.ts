import { basename, dirname } from 'node:path';
import { parseEnv } from 'node:util';
import { type Document, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { Agent, type AgentMode } from '../../agents/agent.ts';
import { unknownMentions } from '../../agents/message-context.ts';
import { HubError, toHubError } from '../../base/hub-error.ts';
import { slugify } from '../../base/ids.ts';
import { isRecord } from '../../base/is-record.ts';
import { parseJson } from '../../base/json.ts';
import { fieldIssues } from '../../base/validate.ts';
import type { ConfiguredServer } from '../../servers/server-specs.ts';
import { at } from '../read-config.ts';
import { findNeighbours } from './agent-folder.ts';
import { parseItemFile } from './parse-item-file.ts';
import { fieldsOf, leftOut, TsAgent, type TsItem } from './ts-agent.ts';
import { approvalSkippingKeysOf, isInternal, serversOf, type TsServer } from './ts-agent-servers.ts';
import { textInBraces } from './ts-agent-template.ts';

export interface ParsedAgentFile {
  agent: Agent;
  servers: readonly ConfiguredServer[];
  /** From the `.env` beside the file. */
  variables?: Readonly<Record<string, string>>;
  /** Problems of its servers. The agent works without them. */
  problems: readonly Problem[];
  /** Other parts of the file that the agent works without, or that may be mistakes. */
  notes: readonly Problem[];
}

interface AgentFileText {
  text: string;
  /** Absolute. */
  path: string;
  /** How messages name the file. */
  shown: string;
  /** Default: derived from the name. */
  id?: string | undefined;
  /** Replaces the mode of the file. */
  mode?: AgentMode | undefined;
  /** The texts of the files beside it that belong to the agent, by path. */
  companions?: ReadonlyMap<string, string> | undefined;
}

/** Parses a TsAgent file, or a file with our own fields. Throws INVALID_CONFIG with file, line and rule. */
export function parseAgentFile(given: AgentFileText): ParsedAgentFile {
  const { text, path, shown, id, mode, companions = new Map() } = given;
  const read = readAgentText(text, shown);
  const { value } = read;
  if (!isRecord(value))
    throw new HubError('INVALID_CONFIG', `${shown}: expected an agent with "metadata" and "systemPrompt".`);
  const isOwn = value.metadata === undefined && typeof value.name === 'string';
  const notes: Problem[] = [];
  const report = (place: string, message: string) => notes.push({ place: shown, message: `${place}: ${message}` });
  const file = isOwn ? undefined : withNeighbours(readTsAgent(read, shown), { path, companions, report });
  const fields: Record<string, unknown> = { ...(file ? fieldsOf(file) : value), ...(mode && { mode }) };
  const parsed = Agent.safeParse({ ...fields, id: id ?? (slugify(String(fields.name)) || 'agent'), source: 'toml' });
  if (!parsed.success) throw refusal(parsed.error, { read, shown, words: file ? tsFieldPaths : {} });
  const variables = readVariables(path, companions);
  if (file) for (const { key, message } of notesOn(file, parsed.data)) report(`${shown} [${key}]`, message);
  return {
    agent: Object.freeze(parsed.data),
    servers: file ? configured(file, { path, shown, variables }) : [],
    ...(variables && { variables }),
    problems: file ? serverProblems(file, shown) : [],
    notes,
  };
}

interface Problem {
  place: string;
  message: string;
}

interface Beside {
  path: string;
  companions: ReadonlyMap<string, string>;
  report(place: string, message: string): void;
}

/** Adds the prompt, rules and references that lie beside a JSON file. As in TsAgent, they win over those in the file. */
function withNeighbours(file: TsAgent, { path, companions, report }: Beside): TsAgent {
  const { prompt, rules, references } = findNeighbours(path);
  const read = (files: readonly string[], inFile: TsAgent['rules']): TsAgent['rules'] => {
    const items = files.flatMap((each) => itemAt(each));
    return items.length === 0 ? inFile : items;
  };
  function itemAt(each: string): TsItem[] {
    const text = companions.get(each);
    try {
      return text === undefined ? [] : [parseItemFile(text, each)];
    } catch (error) {
      report(`${basename(dirname(each))}/${basename(each)}`, `was left out. ${toHubError(error).message}`);
      return [];
    }
  }
  const systemPrompt = prompt === undefined ? undefined : companions.get(prompt);
  return {
    ...file,
    ...(systemPrompt !== undefined && { systemPrompt }),
    rules: read(rules, file.rules),
    references: read(references, file.references),
  };
}

function readVariables(
  path: string,
  companions: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> | undefined {
  const { env } = findNeighbours(path);
  const text = env === undefined ? undefined : companions.get(env);
  // Values are text; a key without one is left out.
  return text === undefined ? undefined : (parseEnv(text) as Record<string, string>);
}

function readTsAgent(read: AgentText, shown: string): TsAgent {
  const result = TsAgent.safeParse(read.value);
  if (!result.success) throw refusal(result.error, { read, shown, words: {} });
  const version = read.writtenAt(['metadata', 'version']);
  const { metadata } = result.data;
  return version === undefined ? result.data : { ...result.data, metadata: { ...metadata, version } };
}

/** The names of our fields in TsAgent files. */
const tsFieldPaths: Record<string, readonly string[]> = {
  name: ['metadata', 'name'],
  description: ['metadata', 'description'],
  version: ['metadata', 'version'],
  exposes: ['metadata', 'tools'],
  model: ['settings', 'model'],
  modelSettings: ['settings'],
};

interface Refused {
  read: AgentText;
  shown: string;
  words: Record<string, readonly string[]>;
}

function refusal(error: z.ZodError, { read, shown, words }: Refused): HubError {
  const inFile = (path: readonly PropertyKey[]): PropertyKey[] => {
    const [first, ...rest] = path;
    return [...(typeof first === 'string' ? (words[first] ?? [first]) : []), ...rest];
  };
  const found = error.issues.map((issue) => ({ ...issue, path: inFile(issue.path) }));
  const line = read.lineOf(found[0]?.path ?? []);
  const issues = fieldIssues({ ...error, issues: found } as z.ZodError);
  const problems = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  return new HubError('INVALID_CONFIG', `${at(shown, line)}: ${problems}`, { details: { file: shown, line, issues } });
}

function serverProblems({ mcpServers }: TsAgent, shown: string): Problem[] {
  return Object.entries(mcpServers ?? {}).flatMap(([name, server]) => {
    const place = `${shown} [mcpServers.${name.slice(0, 80)}]`;
    return unsupportedBy(server).map((message) => ({ place, message: `${place}: ${message}` }));
  });
}

/** Returns what the agent works without, and what may be a mistake. */
function notesOn(file: TsAgent, agent: Agent): { key: string; message: string }[] {
  const templates = (file.metadata.tools ?? []).flatMap(({ name, prompt, parameters = { type: 'object' } }, index) => {
    if (typeof prompt !== 'string') return [];
    const key = `metadata.tools[${index}].prompt`;
    const braces = textInBraces(prompt, { name: String(name), parameters });
    return [
      ...unknownMentions(agent, prompt).map(({ uri, text }) => ({ key, message: `@${uri.slice(0, 80)}: ${text}` })),
      ...[...new Set(braces)].map((each) => ({
        key,
        message: `${each.slice(0, 80)} names no parameter of the tool and stays as text.`,
      })),
    ];
  });
  return [...leftOut(file), ...templates];
}

function unsupportedBy(server: TsServer): string[] {
  if (isInternal(server)) {
    const what = typeof server.tool === 'string' ? ` (${server.tool.slice(0, 40)})` : '';
    return [`internal TsAgent servers${what} are not supported. The agent does not have their tools.`];
  }
  return approvalSkippingKeysOf(server).map(
    (key) =>
      `${key} is not a TsAgent setting and was ignored. Write permissionRequired: false for a tool that needs no approval.`,
  );
}

/** Returns the servers of the file, which run in its folder. */
function configured(
  file: TsAgent,
  { path, shown, variables }: { path: string; shown: string; variables: ConfiguredServer['variables'] },
): ConfiguredServer[] {
  return Object.entries(serversOf(file)).map(([name, raw]) => ({
    name,
    definedIn: `${shown} [mcpServers.${name.slice(0, 80)}]`,
    file: shown,
    ...(variables && { variables }),
    raw: raw.command === undefined || raw.cwd !== undefined ? raw : { ...raw, cwd: dirname(path) },
  }));
}

const limits = { maxCharacters: 4 * 1024 * 1024, maxDepth: 64, maxElements: 200_000 };
/** The maximum number of expanded YAML aliases, including nested ones. */
const maxAliases = 50;

/** The contents of a YAML or JSON file as plain data. */
interface AgentText {
  value: unknown;
  /** Returns the line (from 1), if the format has positions. */
  lineOf(path: readonly PropertyKey[]): number | undefined;
  /** Returns a scalar as written: 1.0 stays 1.0. */
  writtenAt(path: readonly PropertyKey[]): string | undefined;
}

/** Throws INVALID_CONFIG with file, line and rule. `shown` names the file in messages; its extension selects the format. */
function readAgentText(text: string, shown: string): AgentText {
  if (/\.json$/i.test(shown))
    return { value: fromJson(text, shown), lineOf: () => undefined, writtenAt: () => undefined };
  const lines = new LineCounter();
  const document = guarded(shown, () =>
    // Only the core schema of YAML 1.2: no dates, binary data, merge keys or object tags.
    parseDocument(text, { version: '1.2', schema: 'core', merge: false, lineCounter: lines, prettyErrors: false }),
  );
  const wrong = document.errors[0] ?? document.warnings[0];
  if (wrong) {
    const { line } = lines.linePos(wrong.pos[0]);
    throw new HubError('INVALID_CONFIG', `${at(shown, line)}: invalid YAML: ${oneLine(wrong.message)}`);
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

/** Converts the library's errors for hostile nesting (stack overflow) and hostile aliases. */
function guarded<T>(shown: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    const isDeep = error instanceof RangeError;
    const message = error instanceof Error ? oneLine(error.message) : 'unknown';
    throw new HubError('INVALID_CONFIG', `${shown}: ${isDeep ? 'is nested too deep' : message}`, { cause: error });
  }
}

/** Allows only JSON values within the limits. */
function checkPlain(root: unknown, shown: string): void {
  let elements = 0;
  const refuse = (rule: string): never => {
    throw new HubError('INVALID_CONFIG', `${shown}: ${rule}`);
  };
  const walk = (value: unknown, depth: number): void => {
    elements += 1;
    if (elements > limits.maxElements) refuse(`contains more than ${limits.maxElements} values.`);
    if (depth > limits.maxDepth) refuse(`is nested deeper than ${limits.maxDepth} levels.`);
    if (typeof value === 'number' && !Number.isFinite(value)) refuse('contains a number that JSON does not support.');
    if (typeof value === 'bigint') refuse('contains a number that is too large.');
    if (typeof value !== 'object' || value === null) return;
    const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
    if (!isPlain) refuse('contains a value that JSON does not support.');
    if (Object.hasOwn(value, '__proto__')) refuse('the key "__proto__" is not allowed.');
    for (const each of Object.values(value)) walk(each, depth + 1);
  };
  walk(root, 0);
}

/** Returns the line of the deepest existing part of the path. */
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
