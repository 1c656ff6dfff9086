import { type CliContext, printJson } from '../cli/terminal/context.ts';
import { printEntries } from '../cli/terminal/print-table.ts';
import { agentTemplates } from './templates.ts';

/** `zoo template list`. */
export function listTemplates(context: CliContext, options: { json?: boolean }): void {
  if (options.json) {
    const rows = agentTemplates.map(({ id, name, description, category }) => ({ id, name, description, category }));
    printJson(context, rows);
    return;
  }
  printEntries(
    context,
    agentTemplates.map(({ id, description }) => ({ name: id, text: description })),
  );
}
