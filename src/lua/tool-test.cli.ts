import { performance } from 'node:perf_hooks';
import { indent } from '../agents/test-agent.cli.ts';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { isRecord } from '../base/is-record.ts';
import { parseJson } from '../base/json.ts';
import type { Logger } from '../base/logger.ts';
import { nearest } from '../base/nearest.ts';
import type { SourceProblem } from '../base/source.ts';
import { owner } from '../callers/callers.ts';
import { createLogger } from '../cli/logger.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, colorsFor, printJson, printLine } from '../cli/terminal/context.ts';
import { onStop } from '../cli/terminal/on-stop.ts';
import { UsageError } from '../cli/terminal/report-error.ts';
import { printableLine } from '../cli/terminal/text-width.ts';
import { type LoadedConfig, resolvePath, showPath } from '../config/load-config.ts';
import type { Calls } from '../hub/calls.ts';
import type { LazyServers } from '../hub/lazy-servers.ts';
import type { KnowledgeReader } from '../knowledge/knowledge.ts';
import type { Caller } from '../tools/caller.ts';
import { ToolContent } from '../tools/content.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import { loadTool } from './lua-tools.ts';
import { lazySandbox } from './sandbox/lazy-sandbox.ts';
import type { LuaSandbox } from './sandbox/lua-job.ts';
import { isScriptFile, readScript, sectionOfFile } from './script-file.cli.ts';

export interface ToolTestOptions extends ConfigOption {
  param: Record<string, string>;
  source?: string;
  jsonInput?: string;
  json?: boolean;
}

/** `zoo tool test NAME|FILE`: makes a real call, which is checked and logged like any other. */
export function testTool(context: CliContext, name: string, options: ToolTestOptions): Promise<void> {
  const stopping = new AbortController();
  const forget = onStop(context, () => stopping.abort());
  const logger = createLogger(context, { level: 'info' });
  const sandbox = lazySandbox();
  return withHub(context, { ...options, logger }, async (hub) => {
    const caller = await hub.resolveCaller({ surface: 'cli', from: owner });
    const tool = isScriptFile(name)
      ? await toolOfFile(context, { hub, sandbox, logger }, { file: name, source: options.source })
      : await findTool(hub, nameOnly(name, options), caller);
    const input = inputFor(tool, options);
    const startedAt = performance.now();
    const outcome = await hub.execute({ caller, tool: tool.name, input, signal: stopping.signal });
    if (!outcome.ok) throw outcome.error;
    const ranInMs = Math.round(performance.now() - startedAt);
    const { data } = outcome;
    const result = data instanceof ToolContent && data.repeatsData ? data.structuredContent : data;
    if (options.json) {
      return printJson(context, { tool: tool.name, origin: tool.origin, input, result, ranInMs });
    }
    const { bold, dim } = colorsFor(context);
    printLine(context, `${bold('Tool:')} ${tool.name}`);
    printLine(context, `${bold('Origin:')} ${printableLine(tool.origin)}`);
    printLine(context, `${bold('Input:')} ${printableLine(JSON.stringify(input))}\n`);
    printLine(context, bold('Result:'));
    printLine(context, indent(JSON.stringify(result, null, 2)));
    printLine(context, `\n${dim(`Ran in ${ranInMs}ms`)}`);
  })
    .finally(() => sandbox.close())
    .finally(forget);
}

/** Throws UsageError for `--source` without a file. */
function nameOnly(name: string, { source }: ToolTestOptions): string {
  if (source === undefined) return name;
  throw new UsageError(
    `--source takes the settings of a section for a file: zoo tool test FILE.lua --source ${source}`,
  );
}

/** Registers the tool in a file, under its own name or, if that is taken, with ".test" behind it. */
async function toolOfFile(
  context: CliContext,
  { hub, sandbox, logger }: { hub: KnownTools & ScriptNeeds; sandbox: LuaSandbox; logger: Logger },
  { file, source }: { file: string; source: string | undefined },
): Promise<Tool> {
  const { config, knowledge, clock } = hub;
  const section = sectionOfFile(context, config, { file, kind: 'tools', source, timeoutMs: 30_000 });
  const parts = { sandbox, host: { logger, clock, lookUp: config.lookUp, knowledge } };
  const tool = await loadTool(parts, { section, table: 'tool', file: await readScript(section) });
  const free = hub.tools.find(tool.name) ? { ...tool, name: `${tool.name}.test` } : tool;
  hub.tools.register(free);
  return free;
}

/** What a script of its own needs from the hub. */
interface ScriptNeeds {
  readonly knowledge: KnowledgeReader;
  readonly clock: Clock;
}

interface KnownTools extends Pick<Calls, 'execute'> {
  readonly config: LoadedConfig;
  readonly tools: ToolRegistry;
  readonly servers: Pick<LazyServers, 'discover'>;
  problems(): readonly SourceProblem[];
}

/** Throws UNKNOWN_TOOL with the problem of its script or a suggestion, or the reason why a server's tool is unavailable. */
export async function findTool(known: KnownTools, name: string, caller: Caller): Promise<Tool> {
  const { tools, servers, execute } = known;
  const found = tools.find(name);
  if (found) return found;
  await servers.discover();
  const tool = tools.find(name);
  if (tool) return tool;
  if (tools.whyAbsent(name)) {
    // The pipeline explains the refusal and logs it.
    const outcome = await execute({ caller, tool: name, input: {} });
    if (!outcome.ok) throw outcome.error;
  }
  const problem = problemOf(known, name);
  if (problem) throw new HubError('UNKNOWN_TOOL', `Tool "${name}" could not be read: ${problem}`);
  const near = nearest(
    name,
    tools.list().map((each) => each.name),
  );
  const hint = near ? `Did you mean "${near}"?` : '"zoo tool list" lists all tools.';
  throw new HubError('UNKNOWN_TOOL', `Unknown tool "${name.slice(0, 80)}". ${hint}`);
}

function problemOf({ config: loaded, problems }: KnownTools, name: string): string | undefined {
  const { config } = loaded;
  const section = isRecord(config.tools.script) ? config.tools.script[name] : undefined;
  if (!isRecord(section)) return undefined;
  const file = typeof section.path === 'string' ? showPath(resolvePath(loaded, section.path), loaded.cwd) : '';
  return problems().find((each) => each.place === file || each.message.includes(`tools.script.${name}`))?.message;
}

export function inputFor(tool: Tool, { param, jsonInput }: ToolTestOptions): Record<string, unknown> {
  const whole = jsonInput === undefined ? {} : parseInput(jsonInput);
  const properties = isRecord(tool.inputSchema.properties) ? tool.inputSchema.properties : {};
  const values = Object.entries(param).map(([key, text]) => [key, toValue(text, properties[key])]);
  return { ...whole, ...Object.fromEntries(values) };
}

function parseInput(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (isRecord(value)) return value;
  throw new UsageError('--json-input takes a JSON object, such as {"title":"Fire"}.');
}

/** Converts the text of a parameter by its schema, and reads an undeclared one as JSON. A value that does not fit stays text, and validation reports it. */
function toValue(text: string, schema: unknown): unknown {
  const type = isRecord(schema) ? (schema.type ?? 'string') : undefined;
  if (type === 'string') return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
