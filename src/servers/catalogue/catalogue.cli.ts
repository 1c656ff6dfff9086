import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { type ConfigOption, loadCliConfig } from '../../cli/open-hub.ts';
import { recordWithoutHub } from '../../cli/record-command.ts';
import { type CliContext, printJson, printLine } from '../../cli/terminal/context.ts';
import { printTable } from '../../cli/terminal/print-table.ts';
import { printableLine } from '../../cli/terminal/text-width.ts';
import { type CatalogueServer, publicRegistry } from './catalogue.ts';
import { openCatalogue } from './open-catalogue.ts';
import { waysToAdd } from './ways-to-add.ts';

type Options = ConfigOption & { json?: boolean };
const shownEntries = 100;

/** `zoo mcp-server catalogue`. */
export async function listCatalogue(context: CliContext, words: readonly string[], options: Options): Promise<void> {
  const { dataDir } = await loadCliConfig(context, options);
  const page = await openCatalogue({ dataDir, clock: systemClock }).search(words.join(' '), shownEntries);
  if (options.json) return printJson(context, page);
  const { entries, matches, size, updated } = page;
  if (entries.length === 0)
    return printLine(
      context,
      `No server matches "${printableLine(words.join(' '))}". The catalogue has ${size} servers. Try other words, or fetch more servers with "zoo mcp-server catalogue update".`,
    );
  printTable(
    context,
    ['SERVER', 'DESCRIPTION', 'NEEDS', 'COMMAND OR URL'],
    entries.map(({ server }) => [server.title ?? server.name, server.description, needsOf(server), placeOf(server)]),
  );
  if (matches > entries.length)
    printLine(context, `\n${matches - entries.length} more match. Add words to narrow the search.`);
  const source = updated
    ? `updated from ${updated.from} on ${new Date(updated.at).toISOString().slice(0, 10)}`
    : 'as shipped with Agent Zoo';
  printLine(
    context,
    `\n${size} servers, ${printableLine(source)}. Add one in the web app, or with "zoo mcp-server add".`,
  );
}

/** `zoo mcp-server catalogue update`: fetches only what the user names, or the public registry. */
export async function updateCatalogue(context: CliContext, from: string | undefined, options: Options): Promise<void> {
  const loaded = await loadCliConfig(context, options);
  const catalogue = openCatalogue({ dataDir: loaded.dataDir, clock: systemClock });
  const source = from ?? publicRegistry;
  const report = /^https?:\/\//i.test(source)
    ? await catalogue.updateFromUrl(source, new AbortController().signal)
    : catalogue.updateFromText(await readFile(resolve(context.cwd, source), 'utf8'), basename(source));
  const { servers, leftOut } = report;
  const act = { summary: 'Update the catalogue of servers', target: report.from, after: { servers, leftOut } };
  await recordWithoutHub(loaded, 'zoo mcp-server catalogue update', act);
  if (options.json) return printJson(context, report);
  const others =
    leftOut === 0
      ? ''
      : ` ${leftOut} others were left out: withdrawn, malformed, or of a kind that the hub cannot run.`;
  printLine(
    context,
    `The catalogue has ${servers} ${servers === 1 ? 'server' : 'servers'} from ${printableLine(report.from)}.${others}`,
  );
}

function needsOf(server: CatalogueServer): string {
  const needed = waysToAdd(server)[0]?.fields.filter(({ isNeeded }) => isNeeded) ?? [];
  return needed.map(({ label }) => label).join(', ') || '–';
}

function placeOf(server: CatalogueServer): string {
  const definition = waysToAdd(server)[0]?.define({});
  if (definition === undefined) return '';
  return definition.transport === 'stdio' ? [definition.command, ...(definition.args ?? [])].join(' ') : definition.url;
}
