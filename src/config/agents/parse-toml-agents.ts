import { Agent } from '../../agents/agent.ts';
import { slugify } from '../../base/ids.ts';
import { isRecord } from '../../base/is-record.ts';
import { nearest } from '../../base/nearest.ts';
import type { SourceProblem } from '../../base/source.ts';
import { fieldIssues } from '../../base/validate.ts';
import type { Config } from '../config.ts';

/** The raw table of one agent. */
export interface AgentTable {
  id: string;
  /** `agents.x` or `agents.inline.x`. */
  section: string;
  raw: Record<string, unknown>;
}

const kinds = ['inline', 'script', 'code', 'file'] as const;
type Kind = (typeof kinds)[number];

/** Words with a meaning in section names (`[agents.inline.NAME]`), which cannot be agent ids. */
export const sectionWords: readonly string[] = kinds;

export interface AgentTables {
  inline: AgentTable[];
  /** Tables whose `path` is a Lua script. */
  script: AgentTable[];
  /** Tables whose `path` is a TypeScript or JavaScript file. */
  code: AgentTable[];
  /** Tables whose `path` is a YAML or JSON file, or the folder of one. */
  file: AgentTable[];
  problems: SourceProblem[];
}

const codeFile = /\.[cm]?[jt]s$/;
const dataFile = /\.(?:ya?ml|json)$/i;
/** A path without an extension. */
const folder = /(?:^|[\\/])(?:\.{1,2}|[^./\\]+)[\\/]*$/;

/** Groups all agent tables by the source of their prompt. Invalid tables become problems. */
export function agentTables(agents: Config['agents'], place: string): AgentTables {
  const found: AgentTables = { inline: [], script: [], code: [], file: [], problems: [] };
  const seen = new Map<string, string>();
  const direct = Object.entries(agents).filter(([name]) => !sectionWords.includes(name));
  for (const [name, raw] of direct) collect(kindOf(raw), name, `agents.${name}`, raw);
  for (const kind of kinds) {
    for (const [name, raw] of entriesOf(kind)) collect(kind, name, `agents.${kind}.${name}`, raw);
  }
  return found;

  function collect(kind: Kind, id: string, section: string, raw: unknown): void {
    const twin = seen.get(id);
    if (!isRecord(raw)) {
      report(id, `${section}: expected a table, [${section}] with keys such as system_prompt.`);
    } else if (kind === 'inline' && typeof raw.path === 'string') {
      report(
        id,
        `${section}.path: must end in .lua, .ts, .js, .mjs, .yaml, .yml or .json, or name the folder of an agent file.`,
      );
    } else if (twin !== undefined) {
      report(
        id,
        `Duplicate agent id "${id}" in [${twin}] and [${section}]. The first one is used. Rename one of them.`,
      );
    } else {
      seen.set(id, section);
      found[kind].push({ id, section, raw });
    }
  }

  function entriesOf(word: string): [string, unknown][] {
    const value = agents[word];
    if (value === undefined) return [];
    if (isRecord(value) && Object.values(value).every(isRecord)) return Object.entries(value);
    report(word, `"${word}" is reserved and cannot be an agent name. Use [agents.${word}.NAME].`);
    return isRecord(value) ? Object.entries(value).filter(([, each]) => isRecord(each)) : [];
  }

  function report(agentId: string, message: string): void {
    found.problems.push({ agentId: agentId.slice(0, 80), place, message: message.slice(0, 600) });
  }
}

/** `[agents.NAME] path = "x.lua"` is short for `[agents.script.NAME]`. */
function kindOf(raw: unknown): Kind {
  if (!isRecord(raw) || typeof raw.path !== 'string') return 'inline';
  if (raw.path.endsWith('.lua')) return 'script';
  if (dataFile.test(raw.path) || folder.test(raw.path)) return 'file';
  return codeFile.test(raw.path) ? 'code' : 'inline';
}

/** Parses an agent table. Issues name the keys as written in the file. */
export function parseAgentTable({
  id,
  section,
  raw,
}: AgentTable): { agent: Agent } | { issues: { path: string; message: string }[] } {
  const { fields, clashes } = toCamelCase(raw);
  if (clashes.length > 0)
    return { issues: clashes.map((path) => ({ path: `${section}.${path}`, message: 'is defined twice' })) };
  const result = Agent.safeParse({
    ...fields,
    id,
    name: fields.name ?? id,
    source: 'toml',
    ...listOf(fields, 'skills', skill),
    ...listOf(fields, 'skillCategories', category),
  });
  if (result.success) return { agent: Object.freeze(result.data) };
  const issues = fieldIssues(result.error).map(({ path, message }) => ({
    path: `${section.slice(0, 120)}${path === 'id' || path === '' ? '' : `.${toSnakeCase(path)}`}`,
    message: path === 'id' ? `the name of an agent ${message}` : inFileWords(message, path === ''),
  }));
  return { issues };
}

/** Rewrites the message for an unknown key, with a suggestion. */
function inFileWords(message: string, isTop: boolean): string {
  const typed = /^unknown field "(\w+)"$/.exec(message)?.[1];
  if (typed === undefined) return message;
  const known = Object.keys(Agent.shape).map(toSnakeCase);
  const near = isTop ? nearest(toSnakeCase(typed), known) : undefined;
  return `unknown key "${toSnakeCase(typed)}".${near === undefined ? '' : ` Did you mean "${near}"?`}`;
}

function skill(raw: Record<string, unknown>): Record<string, unknown> {
  const { fields } = toCamelCase(raw);
  const { category: named, ...rest } = fields;
  return { ...withId(rest), ...(named !== undefined && { categoryId: named }) };
}

function category(raw: Record<string, unknown>): Record<string, unknown> {
  return withId({ color: '#6366f1', ...toCamelCase(raw).fields });
}

function withId(fields: Record<string, unknown>): Record<string, unknown> {
  const name = fields.name;
  return fields.id === undefined && typeof name === 'string' ? { ...fields, id: slugify(name) || name } : fields;
}

function listOf(fields: Record<string, unknown>, key: string, convert: (raw: Record<string, unknown>) => unknown) {
  const list = fields[key];
  return Array.isArray(list) ? { [key]: list.map((each) => (isRecord(each) ? convert(each) : each)) } : {};
}

/** Converts only one level, because the contents of `model_settings` and `parameters` are not our own fields. */
function toCamelCase(raw: Record<string, unknown>): { fields: Record<string, unknown>; clashes: string[] } {
  const fields: Record<string, unknown> = {};
  const clashes: string[] = [];
  for (const [key, value] of Object.entries(raw)) {
    const camel = key.replace(/_([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
    if (Object.hasOwn(fields, camel)) clashes.push(key);
    fields[camel] = value;
  }
  return { fields, clashes };
}

function toSnakeCase(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
