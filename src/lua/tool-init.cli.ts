import { HubError } from '../base/hub-error.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, printLine } from '../cli/terminal/context.ts';
import { UsageError } from '../cli/terminal/report-error.ts';
import { addSection } from '../config/add-section.cli.ts';
import { luaTool } from './scaffolds.cli.ts';

/** `zoo tool init`. Throws CONFLICT if the name is taken. */
export async function initTool(
  context: CliContext,
  name: string,
  options: ConfigOption & { description?: string },
): Promise<void> {
  refuseBadName(name, 'a tool', 'create_ticket');
  const loaded = await withHub(context, { ...options, quiet: true }, async (hub) => {
    const taken = hub.tools.find(name);
    if (taken)
      throw new HubError('CONFLICT', `Tool "${name}" already exists (from ${taken.origin}). Choose another name.`);
    return hub.config;
  });
  const path = `tools/${name}.lua`;
  const description = options.description?.trim() || 'Counts the words of a text';
  await addSection(context, loaded, {
    section: `[tools.script.${name}]\npath = "${path}"\ntimeout = 30\n`,
    file: { path, text: luaTool(name, description) },
  });
  printLine(context, `\nEdit it, then test it: zoo tool test ${name} --param text=hello`);
}

export function refuseBadName(name: string, what: string, example: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) return;
  throw new UsageError(
    `"${name.slice(0, 80)}" is not a valid name for ${what}. Use 1–64 letters, digits, - and _, such as ${example}.`,
  );
}
