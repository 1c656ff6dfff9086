import { type CliContext, colorsFor, printJson, printLine } from './context.ts';
import { createLogger } from './logger.ts';
import { type ConfigOption, withHub } from './open-hub.ts';
import { fitText, padText, printableLine, textWidth } from './text-width.ts';

/** `zoo tool list`: every tool with its origin. */
export function listTools(context: CliContext, options: ConfigOption & { json?: boolean }): Promise<void> {
  const logger = createLogger(context, { level: 'warn' });
  return withHub(context, { ...options, logger }, async (hub) => {
    await hub.discoverTools();
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
    const { bold, dim } = colorsFor(context);
    const names = Math.max(0, ...tools.map(({ name }) => textWidth(name)));
    const origins = tools.map(({ origin }) => `(${printableLine(origin)})`);
    const room = roomFor(context, names + Math.max(0, ...origins.map(textWidth)));
    const descriptions = tools.map(({ description }) => fitText(firstSentence(description), room));
    const width = Math.max(0, ...descriptions.map(textWidth));
    for (const [index, { name }] of tools.entries()) {
      const padding = ' '.repeat(names - textWidth(name));
      const description = padText(descriptions[index] ?? '', width);
      printLine(context, `  ${bold(name)}${padding}   ${description}   ${dim(origins[index] ?? '')}`.trimEnd());
    }
  });
}

/** A list is for choosing: `--json` has the rest. */
function firstSentence(description: string): string {
  const line = printableLine(description.trim().split('\n')[0] ?? '');
  return /^.*?[.!?](?=\s)/.exec(line)?.[0] ?? line;
}

/** On a terminal a description takes what the other columns leave; in a pipe it is whole. */
function roomFor(context: CliContext, others: number): number {
  if (!context.stdout.isTTY) return Number.POSITIVE_INFINITY;
  return Math.max(24, (context.stdout.columns ?? 100) - others - 8);
}
