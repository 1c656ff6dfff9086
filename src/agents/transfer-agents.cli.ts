import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { HubError } from '../base/hub-error.ts';
import { parseJson } from '../base/json.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { recordCommand } from '../cli/record-command.ts';
import { askYesNo } from '../cli/terminal/ask.ts';
import { type CliContext, printJson, printLine } from '../cli/terminal/context.ts';
import { printableLine } from '../cli/terminal/text-width.ts';
import { writeNew } from '../config/init.cli.ts';
import { findAgent } from './find-agent.cli.ts';
import { broadAgents, exportAgents, importAgents, importLimits, type OnTakenId } from './transfer-agents.ts';

export interface ExportOptions extends ConfigOption {
  output?: string;
  force?: boolean;
  /** False leaves out what the agents remember. */
  brain?: boolean;
  versions?: boolean;
}

/** `zoo agent export [NAMES…]`: writes agents to a file. */
export function exportTo(context: CliContext, names: string[], options: ExportOptions): Promise<void> {
  return withHub(context, options, async (hub) => {
    for (const name of names) await findAgent(hub, name);
    const ids = names.length === 0 ? undefined : names;
    const { brain = true, versions = true } = options;
    const choice = { ids, withoutBrain: !brain, withoutVersions: !versions, now: hub.clock.now() };
    const document = await exportAgents(hub, choice);
    if (options.output === undefined) return printJson(context, document);
    const file = resolve(context.cwd, options.output);
    const text = `${JSON.stringify(document, null, 2)}\n`;
    if (options.force) await writeFile(file, text);
    else await writeNew(file, text, `${options.output} already exists. Use --force to overwrite it.`);
    printLine(context, `Exported: ${document.agents.length} ${agents(document.agents.length)} to ${options.output}`);
  });
}

/** `zoo agent import FILE`: reads agents from a file. */
export async function importFrom(
  context: CliContext,
  file: string,
  options: ConfigOption & { onTaken: OnTakenId; json?: boolean; yes?: boolean },
): Promise<void> {
  const document = parseDocument(await readDocument(context, file), file);
  const broad = broadAgents(document);
  for (const { name, powers } of broad) context.stderr.write(`${printableLine(name)} ${powers.join(', and ')}.\n`);
  if (broad.length > 0 && !options.yes && !(await askYesNo(context, `Import ${broad.length === 1 ? 'it' : 'them'}?`)))
    return printLine(context, 'Nothing was imported.');
  await withHub(context, options, async (hub) => {
    const report = await importAgents(hub, document, options.onTaken);
    await recordCommand(hub, 'zoo agent import', { summary: 'Import agents', after: report });
    if (options.json) return printJson(context, report);
    for (const id of report.created) printLine(context, `Created: ${id}`);
    for (const { from, to } of report.renamed) printLine(context, `Created: ${to} (the id ${from} was taken)`);
    for (const id of report.replaced) printLine(context, `Replaced: ${id}`);
    for (const id of report.skipped) printLine(context, `Skipped: ${id} (the id is taken)`);
    if (report.brainEntries > 0) printLine(context, `Brain entries: ${report.brainEntries}`);
    for (const note of report.notes) printLine(context, printableLine(note));
  });
}

function parseDocument(text: string, file: string): unknown {
  try {
    return parseJson(text, importLimits);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const where = file === '-' ? 'The input' : file;
    throw new HubError(error.code, `${where}: ${error.message}`, { cause: error });
  }
}

/** Decodes UTF-8 text, without its byte order mark. Throws INVALID_ARGUMENTS. */
async function readDocument(context: CliContext, file: string): Promise<string> {
  const bytes =
    file === '-' ? await buffer(context.stdin) : await readFile(resolve(context.cwd, file)).catch(named(file));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HubError('INVALID_ARGUMENTS', `${file === '-' ? 'The input' : file} is not UTF-8 text.`);
  }
}

/** Names the folder in the error, because the system's error does not. */
function named(file: string) {
  return (error: NodeJS.ErrnoException): never => {
    if (error.code !== 'EISDIR') throw error;
    throw new HubError('INVALID_ARGUMENTS', `${file} is a folder; name a file.`, { cause: error });
  };
}

function agents(count: number): string {
  return count === 1 ? 'agent' : 'agents';
}
