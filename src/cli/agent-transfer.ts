import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { exportAgents, importAgents, type OnTakenId } from '../agents/transfer-agents.ts';
import { parseJson } from '../base/json.ts';
import { type CliContext, printJson, printLine } from './context.ts';
import { findAgent } from './find-agent.ts';
import { writeNew } from './init.ts';
import { type ConfigOption, withHub } from './open-hub.ts';

export interface ExportOptions extends ConfigOption {
  output?: string;
  force?: boolean;
}

/** `zoo agent export [NAMES…]`. */
export function exportTo(context: CliContext, names: string[], options: ExportOptions): Promise<void> {
  return withHub(context, options, async (hub) => {
    for (const name of names) await findAgent(hub, name);
    const ids = names.length === 0 ? undefined : names;
    const document = await exportAgents(hub, { ids, now: hub.clock.now() });
    if (options.output === undefined) return printJson(context, document);
    const file = resolve(context.cwd, options.output);
    const text = `${JSON.stringify(document, null, 2)}\n`;
    if (options.force) await writeFile(file, text);
    else await writeNew(file, text, `${options.output} is there already; --force replaces it.`);
    printLine(context, `Exported: ${document.agents.length} ${agents(document.agents.length)} to ${options.output}`);
  });
}

/** `zoo agent import FILE`. */
export async function importFrom(
  context: CliContext,
  file: string,
  options: ConfigOption & { onTaken: OnTakenId; json?: boolean },
): Promise<void> {
  const text = file === '-' ? await readText(context.stdin) : await readFile(resolve(context.cwd, file), 'utf8');
  const document = parseJson(text);
  await withHub(context, options, async (hub) => {
    const report = await importAgents(hub, document, options.onTaken);
    if (options.json) return printJson(context, report);
    for (const id of report.created) printLine(context, `Created: ${id}`);
    for (const { from, to } of report.renamed) printLine(context, `Created: ${to} (the id ${from} was taken)`);
    for (const id of report.replaced) printLine(context, `Replaced: ${id}`);
    for (const id of report.skipped) printLine(context, `Skipped: ${id} (the id is taken)`);
  });
}

function agents(count: number): string {
  return count === 1 ? 'agent' : 'agents';
}
