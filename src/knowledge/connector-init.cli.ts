import { HubError } from '../base/hub-error.ts';
import { type ConfigOption, loadCliConfig } from '../cli/open-hub.ts';
import { type CliContext, printLine } from '../cli/terminal/context.ts';
import { addSection } from '../config/add-section.cli.ts';
import { connectorSections } from '../config/connector-sections.ts';
import { luaConnector } from '../lua/scaffolds.cli.ts';
import { refuseBadName } from '../lua/tool-init.cli.ts';

/** `zoo connector init`. Throws CONFLICT when a script of this name is configured. */
export async function initConnector(context: CliContext, name: string, options: ConfigOption): Promise<void> {
  refuseBadName(name, 'a source', 'tickets');
  const loaded = await loadCliConfig(context, options);
  if (connectorSections(loaded).sections.some((each) => each.type === 'script' && each.name === name)) {
    throw new HubError('CONFLICT', `There is a source "script:${name}" already.`);
  }
  const path = `connectors/${name}.lua`;
  await addSection(context, loaded, {
    section: `[connectors.script.${name}]\npath = "${path}"\ntimeout = 30\n`,
    file: { path, text: luaConnector(name) },
  });
  printLine(context, `\nEdit it there, then try it: zoo connector test ${name}`);
}
