import { performance } from 'node:perf_hooks';
import { systemClock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { nearest } from '../base/nearest.ts';
import { createLogger } from '../cli/logger.ts';
import { type ConfigOption, loadCliConfig, withHub } from '../cli/open-hub.ts';
import { recordCommand } from '../cli/record-command.ts';
import { type CliContext, colorsFor, printJson, printLine } from '../cli/terminal/context.ts';
import { onStop } from '../cli/terminal/on-stop.ts';
import { count, countOf } from '../cli/terminal/progress-bar.ts';
import { UsageError } from '../cli/terminal/report-error.ts';
import { printableLine } from '../cli/terminal/text-width.ts';
import { addSection } from '../config/add-section.cli.ts';
import { type ConnectorSection, connectorSections } from '../config/connector-sections.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { trustCommand } from '../config/trust/config-trust.ts';
import { toConnector } from '../hub/open-knowledge.ts';
import { lazySandbox } from '../lua/sandbox/lazy-sandbox.ts';
import { luaConnector } from '../lua/scaffolds.cli.ts';
import { isScriptFile, sectionOfFile } from '../lua/script-file.cli.ts';
import { refuseBadName } from '../lua/tool-init.cli.ts';
import { type Connector, type ScannedItem, sourceLabel } from './connector.ts';

export interface ConnectorTestOptions extends ConfigOption {
  source?: string;
  limit: number;
  json?: boolean;
}

interface Scan {
  items: ScannedItem[];
  total: number;
  failures: { sourceId: string; message: string }[];
  scannedInMs: number;
}

/** `zoo connector test NAME|FILE`: prints the first items and the total. Does not open the knowledge base. */
export async function testConnector(context: CliContext, name: string, options: ConnectorTestOptions): Promise<void> {
  const loaded = await loadCliConfig(context, options);
  const section = isScriptFile(name) ? ofFile(context, loaded, name, options) : findSection(loaded, name, options);
  const stopping = new AbortController();
  const forget = onStop(context, () => stopping.abort());
  const sandbox = lazySandbox();
  const host = { logger: createLogger(context, { level: 'info' }), clock: systemClock, lookUp: loaded.lookUp };
  try {
    const connector = await toConnector({ loaded, sandbox, host }, section);
    const scan = await scanAll(connector, options.limit, stopping.signal);
    if (options.json) printJson(context, await toJson(connector, scan, stopping.signal));
    else printScan(context, connector, scan);
  } finally {
    forget();
    await sandbox.close();
  }
}

function ofFile(
  context: CliContext,
  loaded: LoadedConfig,
  file: string,
  { source }: ConnectorTestOptions,
): ConnectorSection {
  const script = sectionOfFile(context, loaded, { file, kind: 'connectors', source, timeoutMs: 300_000 });
  return { type: 'script', name: script.name, script };
}

/** Throws NOT_FOUND with the problem of the section, or a suggestion for the name. */
function findSection(loaded: LoadedConfig, name: string, { source }: ConnectorTestOptions): ConnectorSection {
  if (source !== undefined) {
    const example = `zoo connector test FILE.lua --source ${source}`;
    throw new UsageError(`--source takes the settings of a section for a file: ${example}`);
  }
  const { sections, problems } = connectorSections(loaded);
  const matches = sections.filter((each) => each.name === name || sourceLabel(each) === name);
  const [section] = matches;
  if (section && matches.length === 1) return section;
  const labels = sections.map(sourceLabel);
  if (section) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      `Several sources are named "${name}". Use ${matches.map(sourceLabel).join(' or ')}.`,
    );
  }
  const key = name.split(':').at(-1);
  if (loaded.trust.held.some(({ path }) => path[0] === 'connectors' && (path[2] ?? 'default') === key))
    throw new HubError(
      'NOT_FOUND',
      `The source "${key}" is held. Run "${trustCommand(loaded)}" to see it and to allow it.`,
    );
  const problem = problems.find(({ message }) => message.includes(`.${name.split(':').at(-1)}`));
  if (problem)
    throw new HubError('NOT_FOUND', `The source "${name.slice(0, 80)}" could not be read: ${problem.message}`);
  const near = nearest(name, [...sections.map((each) => each.name), ...labels]);
  const available =
    labels.length === 0
      ? 'You have no sources yet. Create one with "zoo connector init NAME".'
      : `Available: ${labels.slice(0, 12).join(', ')}.`;
  throw new HubError(
    'NOT_FOUND',
    `Unknown source "${name.slice(0, 80)}". ${near ? `Did you mean "${near}"?` : available}`,
  );
}

async function scanAll(connector: Connector, limit: number, signal: AbortSignal): Promise<Scan> {
  const scan: Scan = { items: [], total: 0, failures: [], scannedInMs: 0 };
  const startedAt = performance.now();
  const fail = (sourceId: string, message: string) => void scan.failures.push({ sourceId, message });
  for await (const item of connector.scan({ signal, fail, failFolder: fail, skip: () => {} })) {
    scan.total += 1;
    if (scan.items.length < limit) scan.items.push(item);
  }
  scan.scannedInMs = Math.round(performance.now() - startedAt);
  return scan;
}

function printScan(context: CliContext, connector: Connector, { items, total, failures, scannedInMs }: Scan): void {
  const { bold, dim, yellow } = colorsFor(context);
  printLine(context, `${bold('Source:')} ${sourceLabel(connector)} (${printableLine(connector.location)})\n`);
  for (const item of items) {
    const title = item.title === undefined ? '' : `  ${printableLine(item.title)}`;
    const when = new Date(item.updatedAt).toISOString().slice(0, 10);
    printLine(context, `  ${printableLine(item.sourceId)}${title}  ${dim(when)}`);
  }
  if (total > items.length) printLine(context, dim(`  … and ${total - items.length} more`));
  for (const { sourceId, message } of failures.slice(0, 20)) {
    printLine(context, `  ${yellow(`${printableLine(sourceId)}: ${printableLine(message)}`)}`);
  }
  const failed = failures.length === 0 ? '' : `, ${count(failures.length)} failed`;
  printLine(
    context,
    `\n${dim(`${count(total)} ${total === 1 ? 'item' : 'items'}${failed} in ${scannedInMs}ms. Nothing was indexed.`)}`,
  );
}

async function toJson(connector: Connector, { items, total, failures, scannedInMs }: Scan, signal: AbortSignal) {
  const shown = items.map(async ({ sourceId, title, url, updatedAt, contentType, tags, metadata, read }) => ({
    sourceId,
    title,
    url,
    updatedAt: new Date(updatedAt).toISOString(),
    contentType,
    tags,
    metadata,
    size: (await read(signal)).length,
  }));
  return {
    source: sourceLabel(connector),
    place: connector.location,
    items: await Promise.all(shown),
    total,
    failures,
    scannedInMs,
  };
}

/** `zoo connector init`. Throws CONFLICT when a script with this name is configured. */
export async function initConnector(context: CliContext, name: string, options: ConfigOption): Promise<void> {
  refuseBadName(name, 'a source', 'tickets');
  const loaded = await loadCliConfig(context, options);
  if (connectorSections(loaded).sections.some((each) => each.type === 'script' && each.name === name)) {
    throw new HubError('CONFLICT', `Source "script:${name}" already exists. Choose another name.`);
  }
  const path = `connectors/${name}.lua`;
  await addSection(context, loaded, {
    section: `[connectors.script.${name}]\npath = "${path}"\ntimeout = 30\n`,
    file: { path, text: luaConnector(name) },
  });
  printLine(context, `\nEdit it, then test it: zoo connector test ${name}`);
}

/** `zoo connector remove`: removes a source that the web app added or that the config no longer contains. */
export function removeConnector(context: CliContext, source: string, options: ConfigOption): Promise<void> {
  return withHub(context, options, async (hub) => {
    const { knowledge } = hub;
    const sources = await knowledge.sources();
    const found = sources.find((each) => each.source === source) ?? onlyOne(sources, source);
    if (!found) {
      const labels = sources.map((each) => each.source).join(', ');
      throw new HubError('NOT_FOUND', `Unknown source "${source.slice(0, 80)}". Available: ${labels || 'none'}.`);
    }
    await knowledge.removeSource(found.source);
    const before = { documents: found.documents };
    await recordCommand(hub, 'zoo connector remove', { summary: 'Remove a source', target: found.source, before });
    printLine(context, `Removed: ${found.source}, with ${countOf(found.documents, 'document')}`);
  });
}

/** Returns the source with this name if exactly one has it. */
function onlyOne<T extends { name: string }>(sources: readonly T[], name: string): T | undefined {
  const found = sources.filter((each) => each.name === name);
  return found.length === 1 ? found[0] : undefined;
}
