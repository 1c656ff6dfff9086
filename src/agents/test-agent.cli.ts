import { performance } from 'node:perf_hooks';
import { HubError } from '../base/hub-error.ts';
import { defaultJsonLimits, parseJson } from '../base/json.ts';
import { createLogger } from '../cli/logger.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, colorsFor, printJson, printLine } from '../cli/terminal/context.ts';
import { onStop } from '../cli/terminal/on-stop.ts';
import { printable, printableLine } from '../cli/terminal/text-width.ts';
import type { KnowledgeReader } from '../knowledge/knowledge.ts';
import type { AgentPrompt, PromptMessage } from './agent-prompt.ts';
import type { AgentEntry, ArgumentValues } from './agent-source.ts';
import { undeclaredArguments } from './check-arguments.ts';
import { contextWarnings } from './deliver-context.ts';
import { findAgent } from './find-agent.cli.ts';

export interface TestOptions extends ConfigOption {
  arg: Record<string, string>;
  json?: boolean;
}

/** `zoo agent test`: prints what a client would get, with the number of searches and fetched documents and the time it took. */
export function testAgent(context: CliContext, name: string, options: TestOptions): Promise<void> {
  const stopping = new AbortController();
  const forget = onStop(context, () => stopping.abort());
  const logger = createLogger(context, { level: 'info' });
  return withHub(context, { ...options, logger }, async (hub) => {
    const entry = await findAgent(hub, name);
    for (const line of undeclaredArguments(entry.agent, options.arg))
      context.stderr.write(`zoo: ${printableLine(line)}\n`);
    const { knowledge, counts } = counted(hub.knowledge);
    const startedAt = performance.now();
    const args = entry.agent.source === 'lua' ? jsonValues(options.arg) : options.arg;
    const prompt = await hub.agents.resolve(name, args, { signal: stopping.signal, knowledge });
    const resolvedInMs = Math.round(performance.now() - startedAt);
    for (const warning of contextWarnings(prompt.context)) context.stderr.write(`zoo: ${printableLine(warning)}\n`);
    const result = { prompt, resolvedInMs, ...counts };
    if (options.json) return printJson(context, toJson(entry, result));
    printResult(context, { store: hub.store, entry, ...result });
  }).finally(forget);
}

/** Reads numbers, booleans, lists and objects, which scripts get as such. Any other text stays as it is. */
function jsonValues(texts: Record<string, string>): ArgumentValues {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, jsonValue(text)]));
}

function jsonValue(text: string): unknown {
  try {
    return parseJson(text, { ...defaultJsonLimits, keepsIntegers: true });
  } catch (error) {
    if (error instanceof HubError) return text;
    throw error;
  }
}

/** Counts the uses of the knowledge base. */
function counted(reader: KnowledgeReader) {
  const counts = { searchQueries: 0, documentFetches: 0 };
  const knowledge: KnowledgeReader = {
    search(...asked) {
      counts.searchQueries += 1;
      return reader.search(...asked);
    },
    get(id) {
      counts.documentFetches += 1;
      return reader.get(id);
    },
    ...(reader.chunks && { chunks: reader.chunks.bind(reader) }),
    sources: () => reader.sources(),
  };
  return { knowledge, counts };
}

interface Resolved {
  prompt: AgentPrompt;
  resolvedInMs: number;
  searchQueries: number;
  documentFetches: number;
}

/** Returns where an agent is defined, in words. */
export function sourceText(store: { location: string }, { agent, definedIn }: AgentEntry): string {
  const where = agent.source === 'store' ? store.location : definedIn;
  return where === agent.source ? where : `${agent.source} (${where})`;
}

function printResult(context: CliContext, result: Resolved & { store: { location: string }; entry: AgentEntry }): void {
  const { prompt, entry } = result;
  const { bold, dim } = colorsFor(context);
  const head = (label: string) => bold(`${label}:`);
  printLine(context, `${head('Agent')} ${entry.agent.id}`);
  printLine(context, `${head('Source')} ${printableLine(sourceText(result.store, entry))}`);
  printLine(context, `${head('Tools')} ${printableLine(prompt.tools.join(', ')) || 'none'}\n`);
  printLine(context, bold(`System prompt (${[...prompt.system].length} chars):`));
  printLine(context, `${indent(prompt.system)}\n`);
  printLine(context, bold(`Messages (${prompt.messages.length}):`));
  for (const message of prompt.messages) printLine(context, `  [${message.role}] ${messageText(message)}`);
  const counts = `${count(result.searchQueries, 'search query', 'search queries')}, ${count(result.documentFetches, 'document fetch', 'document fetches')}`;
  printLine(context, `\n${dim(`Resolved in ${result.resolvedInMs}ms (${counts})`)}`);
}

function toJson({ agent, definedIn }: AgentEntry, { prompt, ...numbers }: Resolved) {
  return { agent: agent.id, source: agent.source, place: definedIn, ...prompt, ...numbers };
}

export function indent(text: string): string {
  return printable(text)
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n');
}

function messageText({ content }: PromptMessage): string {
  if (typeof content === 'string') return printable(content).replaceAll('\n', '\n  ');
  return content.type === 'text' ? printable(content.text).replaceAll('\n', '\n  ') : `(${content.type})`;
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
