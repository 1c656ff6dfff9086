import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentId } from '../agents/agent.ts';
import { HubError } from '../base/hub-error.ts';
import { showPath } from '../config/load-config.ts';
import { parseAgentTable, sectionWords } from '../config/parse-toml-agents.ts';
import { parseConfig, readConfigText } from '../config/read-config.ts';
import { type CliContext, printLine } from './context.ts';
import { writeNew } from './init.ts';
import { type ConfigOption, withHub } from './open-hub.ts';
import { UsageError } from './report-error.ts';
import { agentSection } from './zoo-toml.ts';

export interface InitOptions extends ConfigOption {
  description?: string;
}

/** `zoo agent init`: adds `[agents.NAME]` to the config in use, or to a new zoo.toml. Refuses an id that is taken. */
export async function initAgent(context: CliContext, name: string, options: InitOptions): Promise<void> {
  if (!AgentId.safeParse(name).success || sectionWords.includes(name)) {
    throw new UsageError(
      `"${name.slice(0, 80)}" cannot name an agent: use 1–64 letters, digits, - and _ (not ${sectionWords.join(' or ')}), such as sre-helper.`,
    );
  }
  const section = agentSection(name, options.description ?? 'Says in one line what this agent is for');
  const { file, lookUp } = await withHub(context, { ...options, quiet: true }, async (hub) => {
    const taken = hub.agents.findEntry(name);
    if (taken) throw new HubError('CONFLICT', `There is an agent "${name}" already, from ${taken.place}.`);
    return hub.config;
  });
  refuseBadAgent(name, parseConfig(section, 'The new section', lookUp).agents[name]);
  if (file === null) {
    await writeNew(join(context.cwd, 'zoo.toml'), section, 'zoo.toml was just made by somebody else; try again.');
    printLine(context, 'Created: zoo.toml');
  } else {
    const shown = showPath(file, context.cwd);
    const { text } = await readConfigText(file, shown);
    const addition = `${text === '' || text.endsWith('\n') ? '' : '\n'}${text.trim() === '' ? '' : '\n'}${section}`;
    refuseWhatDoesNotFit(() => parseConfig(text + addition, shown, lookUp), shown, section);
    await appendFile(file, addition);
    printLine(context, `Changed: ${shown}`);
  }
  printNextSteps(context, name, section);
}

/** What is written must be an agent when it is read again. */
function refuseBadAgent(id: string, table: unknown): void {
  // Written by `agentSection` as a table of this id.
  const parsed = parseAgentTable({ id, section: `agents.${id}`, raw: table as Record<string, unknown> });
  if ('agent' in parsed) return;
  const [issue] = parsed.issues;
  throw new HubError('INVALID_ARGUMENTS', `${issue?.path}: ${issue?.message}. Nothing was written.`);
}

/** A file that defines `agents` as one inline table cannot be continued by a section. */
function refuseWhatDoesNotFit(parse: () => unknown, shown: string, section: string): void {
  try {
    parse();
  } catch (error) {
    throw new HubError(
      'INVALID_CONFIG',
      `${shown} cannot be continued with a new section; it was left as it is. Add this by hand: ${section.trim()}`,
      { cause: error },
    );
  }
}

function printNextSteps(context: CliContext, name: string, section: string): void {
  printLine(context, 'Added to config:\n');
  for (const line of section.trimEnd().split('\n')) printLine(context, `  ${line}`);
  printLine(context, `\nEdit it there, then try it: zoo agent test ${name}`);
}
