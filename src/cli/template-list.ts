import { agentTemplates } from '../agents/templates.ts';
import { type CliContext, printJson, printLine } from './context.ts';
import { padText, textWidth } from './text-width.ts';

/** `zoo template list`. */
export function listTemplates(context: CliContext, options: { json?: boolean }): void {
  if (options.json) {
    const rows = agentTemplates.map(({ id, name, description, category }) => ({ id, name, description, category }));
    printJson(context, rows);
    return;
  }
  const width = Math.max(0, ...agentTemplates.map((template) => textWidth(template.id)));
  for (const { id, description } of agentTemplates) printLine(context, `  ${padText(id, width)}   ${description}`);
}
