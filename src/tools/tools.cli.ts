import { owner } from '../callers/callers.ts';
import { createLogger } from '../cli/logger.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, printJson, printLine } from '../cli/terminal/context.ts';
import { onStop } from '../cli/terminal/on-stop.ts';
import { printEntries } from '../cli/terminal/print-table.ts';
import { forTerminal, printableLine } from '../cli/terminal/text-width.ts';
import { findTool, inputFor, type ToolTestOptions } from '../lua/tool-test.cli.ts';
import { ToolContent } from './content.ts';

/** `zoo tool call`: prints only the result, for scripts. Exits with code 1 if the tool returned an error. */
export function callTool(
  context: CliContext,
  name: string,
  options: ToolTestOptions & { agent?: string },
): Promise<void> {
  const stopping = new AbortController();
  const forget = onStop(context, () => stopping.abort());
  const logger = createLogger(context, { level: 'warn' });
  return withHub(context, { ...options, logger }, async (hub) => {
    const caller = await hub.resolveCaller({ surface: 'cli', from: owner, agent: options.agent });
    const call = async () => {
      const input = inputFor(await findTool(hub, name, caller), options);
      return hub.execute({ caller, tool: name, input, signal: stopping.signal });
    };
    let outcome = await call();
    // Until its first connection, this process knows a server's tools as another process has listed them.
    if (!outcome.ok && outcome.error.details?.isListedAgain === true) outcome = await call();
    if (!outcome.ok) throw outcome.error;
    const { data } = outcome;
    if (data instanceof ToolContent && data.isError) context.exitCode = 1;
    if (data instanceof ToolContent && data.repeatsData) return printJson(context, data.structuredContent ?? null);
    if (options.json || !(data instanceof ToolContent)) return printJson(context, data);
    for (const block of data.content) {
      if (block.type === 'text') printLine(context, forTerminal(context, block.text));
      else printJson(context, block);
    }
  }).finally(forget);
}

/** `zoo tool list`: prints every tool with its origin. */
export function listTools(context: CliContext, options: ConfigOption & { json?: boolean }): Promise<void> {
  const logger = createLogger(context, { level: 'warn' });
  return withHub(context, { ...options, logger }, async (hub) => {
    await hub.servers.discover();
    const tools = hub.tools.list();
    if (options.json) {
      const rows = tools.map(({ name, title, description, origin, annotations, inputSchema }) => ({
        name,
        title,
        description,
        origin,
        annotations,
        inputSchema,
      }));
      return printJson(context, rows);
    }
    printEntries(
      context,
      tools.map(({ name, description, origin }) => ({ name, text: firstSentence(description), note: `(${origin})` })),
    );
  });
}

/** The first sentence is enough to choose a tool; `--json` prints the rest. */
function firstSentence(description: string): string {
  const line = printableLine(description.trim().split('\n')[0] ?? '');
  return /^.*?[.!?](?=\s)/.exec(line)?.[0] ?? line;
}
