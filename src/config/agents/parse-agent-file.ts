import { dirname } from 'node:path';
import type { z } from 'zod';
import { Agent } from '../../agents/agent.ts';
import { HubError } from '../../base/hub-error.ts';
import { slugify } from '../../base/ids.ts';
import { fieldIssues } from '../../base/validate.ts';
import type { ConfiguredServer } from '../../servers/server-specs.ts';
import { at } from '../read-config.ts';
import { isTable } from '../script-sections.ts';
import { type AgentText, readAgentText } from './agent-text.ts';
import { fieldsOf, freeingKeysOf, isInternal, serversOf, TsAgent, type TsServer } from './ts-agent.ts';

export interface ParsedAgentFile {
  agent: Agent;
  servers: readonly ConfiguredServer[];
  /** What of the file has no counterpart here; the agent works without it. */
  problems: readonly { place: string; message: string }[];
}

interface AgentFileText {
  text: string;
  /** Absolute. */
  path: string;
  /** How messages name the file. */
  shown: string;
  /** Without one it is made from the name. */
  id?: string | undefined;
}

/** An agent file of TsAgent, or an agent in our own words. Throws INVALID_CONFIG with file, line and rule. */
export function parseAgentFile({ text, path, shown, id }: AgentFileText): ParsedAgentFile {
  const read = readAgentText(text, shown);
  const { value } = read;
  if (!isTable(value))
    throw new HubError('INVALID_CONFIG', `${shown}: expected an agent with "metadata" and "systemPrompt".`);
  const isOwn = value.metadata === undefined && typeof value.name === 'string';
  const file = isOwn ? undefined : readTsAgent(read, shown);
  const fields = file ? fieldsOf(file) : value;
  const made = Agent.safeParse({ ...fields, id: id ?? (slugify(String(fields.name)) || 'agent'), source: 'toml' });
  if (!made.success) throw refusal(made.error, { read, shown, words: file ? tsWords : {} });
  return {
    agent: Object.freeze(made.data),
    servers: file ? configured(file, { path, shown }) : [],
    problems: file ? withoutCounterpart(file, shown) : [],
  };
}

function readTsAgent(read: AgentText, shown: string): TsAgent {
  const result = TsAgent.safeParse(read.value);
  if (!result.success) throw refusal(result.error, { read, shown, words: {} });
  const version = read.writtenAt(['metadata', 'version']);
  const { metadata } = result.data;
  return version === undefined ? result.data : { ...result.data, metadata: { ...metadata, version } };
}

/** Our fields in the words of the file. */
const tsWords: Record<string, readonly string[]> = {
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
  const told = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
  return new HubError('INVALID_CONFIG', `${at(shown, line)}: ${told}`, { details: { file: shown, line, issues } });
}

function withoutCounterpart({ mcpServers }: TsAgent, shown: string): { place: string; message: string }[] {
  return Object.entries(mcpServers ?? {}).flatMap(([name, server]) => {
    const place = `${shown} [mcpServers.${name.slice(0, 80)}]`;
    return missingOf(server).map((message) => ({ place, message: `${place}: ${message}` }));
  });
}

function missingOf(server: TsServer): string[] {
  if (isInternal(server)) {
    const what = typeof server.tool === 'string' ? ` (${server.tool.slice(0, 40)})` : '';
    return [`internal servers of TsAgent${what} are not available; the agent has none of its tools.`];
  }
  return freeingKeysOf(server).map(
    (key) =>
      `${key} is not a setting of TsAgent and is left out. Write permissionRequired: false for a tool that needs no approval.`,
  );
}

/** They run in the folder of the file. */
function configured(file: TsAgent, { path, shown }: { path: string; shown: string }): ConfiguredServer[] {
  return Object.entries(serversOf(file)).map(([name, raw]) => ({
    name,
    place: `${shown} [mcpServers.${name.slice(0, 80)}]`,
    file: shown,
    raw: raw.command === undefined || raw.cwd !== undefined ? raw : { ...raw, cwd: dirname(path) },
  }));
}
