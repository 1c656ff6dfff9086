import { createLogger } from '../cli/logger.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, printJson } from '../cli/terminal/context.ts';
import { printEntries } from '../cli/terminal/print-table.ts';
import { printableLine } from '../cli/terminal/text-width.ts';

/** `zoo tool list`: every tool with its origin. */
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

/** A list is for choosing: `--json` has the rest. */
function firstSentence(description: string): string {
  const line = printableLine(description.trim().split('\n')[0] ?? '');
  return /^.*?[.!?](?=\s)/.exec(line)?.[0] ?? line;
}
