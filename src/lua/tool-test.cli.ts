import { performance } from 'node:perf_hooks';
import { indent } from '../agents/test-agent.cli.ts';
import { HubError } from '../base/hub-error.ts';
import { parseJson } from '../base/json.ts';
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
import { isTable } from '../config/read-config.ts';
import type { Calls } from '../hub/calls.ts';
import type { LazyServers } from '../hub/lazy-servers.ts';
import type { Caller } from '../tools/caller.ts';
import { ToolContent } from '../tools/content.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';

export interface ToolTestOptions extends ConfigOption {
  param: Record<string, string>;
  jsonInput?: string;
  json?: boolean;
}

/** `zoo tool test`: makes a real call, which is checked and logged like any other. */
export function testTool(context: CliContext, name: string, options: ToolTestOptions): Promise<void> {
  const stopping = new AbortController();
  const forget = onStop(context, () => stopping.abort());
  const logger = createLogger(context, { level: 'info' });
  return withHub(context, { ...options, logger }, async (hub) => {
    const caller = await hub.resolveCaller({ surface: 'cli', from: owner });
    const tool = await findTool(hub, name, caller);
    const input = inputFor(tool, options);
    const startedAt = performance.now();
    const outcome = await hub.execute({ caller, tool: name, input, signal: stopping.signal });
    if (!outcome.ok) throw outcome.error;
    const ranInMs = Math.round(performance.now() - startedAt);
    const { data } = outcome;
    const result = data instanceof ToolContent && data.repeatsData ? data.structuredContent : data;
    if (options.json) {
      return printJson(context, { tool: name, origin: tool.origin, input, result, ranInMs });
    }
    const { bold, dim } = colorsFor(context);
    printLine(context, `${bold('Tool:')} ${name}`);
    printLine(context, `${bold('Origin:')} ${printableLine(tool.origin)}`);
    printLine(context, `${bold('Input:')} ${printableLine(JSON.stringify(input))}\n`);
    printLine(context, bold('Result:'));
    printLine(context, indent(JSON.stringify(result, null, 2)));
    printLine(context, `\n${dim(`Ran in ${ranInMs}ms`)}`);
  }).finally(forget);
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
  const section = isTable(config.tools.script) ? config.tools.script[name] : undefined;
  if (!isTable(section)) return undefined;
  const file = typeof section.path === 'string' ? showPath(resolvePath(loaded, section.path), loaded.cwd) : '';
  return problems().find((each) => each.place === file || each.message.includes(`tools.script.${name}`))?.message;
}

export function inputFor(tool: Tool, { param, jsonInput }: ToolTestOptions): Record<string, unknown> {
  const whole = jsonInput === undefined ? {} : parseInput(jsonInput);
  const properties = isTable(tool.inputSchema.properties) ? tool.inputSchema.properties : {};
  const values = Object.entries(param).map(([key, text]) => [key, toValue(text, properties[key])]);
  return { ...whole, ...Object.fromEntries(values) };
}

function parseInput(text: string): Record<string, unknown> {
  const value = parseJson(text);
  if (isTable(value)) return value;
  throw new UsageError('--json-input takes a JSON object, such as {"title":"Fire"}.');
}

/** Converts the text of a parameter by its schema, and reads an undeclared one as JSON. A value that does not fit stays text, and validation reports it. */
function toValue(text: string, schema: unknown): unknown {
  const type = isTable(schema) ? (schema.type ?? 'string') : undefined;
  if (type === 'string') return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}
