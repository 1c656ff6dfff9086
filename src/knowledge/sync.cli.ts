import { resolve } from 'node:path';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, colorsFor, printJson, printLine } from '../cli/terminal/context.ts';
import { onStop } from '../cli/terminal/on-stop.ts';
import { count, progressBar } from '../cli/terminal/progress-bar.ts';
import { UsageError } from '../cli/terminal/report-error.ts';
import { forTerminal, printableLine } from '../cli/terminal/text-width.ts';
import { describeLeftOut } from './describe-left-out.ts';
import type { SyncOptions } from './knowledge.ts';
import { endOfMoment, startOfMoment } from './search/filter-documents.ts';
import { Moment } from './search/search-request.ts';
import type { SyncReport } from './sync/sync-report.ts';
import { syncProgress } from './sync-progress.cli.ts';

export interface SyncCommandOptions extends ConfigOption {
  source?: string;
  full?: boolean;
  dryRun?: boolean;
  allowEmpty?: boolean;
  since?: string;
  until?: string;
  limit?: number;
  /** Undefined for a bar on a terminal, and nothing elsewhere. */
  progress?: 'human' | 'json' | false;
  explain?: string;
  watch?: boolean;
  json?: boolean;
}

/**
 * `zoo sync`. Prints the lines that scripts of Context Harness read; with `--json`, one line per event. Exits with 1 when a source
 * could not be read.
 */
export async function sync(context: CliContext, types: string, options: SyncCommandOptions): Promise<void> {
  const target = targetOf(types, options.source);
  const chosen = readLimits(options);
  const stopping = new AbortController();
  const forget = onStop(context, () => stopping.abort());
  await withHub(context, options, async ({ knowledge, config }) => {
    const bar = syncProgress(context, options.progress);
    const printEvent = (event: object) => printLine(context, forTerminal(context, JSON.stringify(event)));
    const stop = knowledge.events.on((event) => {
      if (options.json && event.type !== 'changed') printEvent(event);
      else if (event.type === 'synced') printReport(event.report);
      else if (event.type === 'embedding') showEmbedding(event);
      if (event.type === 'progress' && (!options.json || options.progress)) bar.sync(event.progress);
    });
    try {
      if (options.explain !== undefined) return await explain(options.explain);
      const { full = false, dryRun = false, allowEmpty = false } = options;
      const how = { target, full, dryRun, allowEmpty, ...chosen };
      const reports = await knowledge.sync({ ...how, signal: stopping.signal });
      // Invalid sections are reported as config problems.
      const hasSections = Object.keys(config.config.connectors).length > 0;
      const isNothing = reports.length === 0 && !stopping.signal.aborted;
      if (isNothing && !hasSections && !options.json) printLine(context, noSources);
      if (options.watch && !stopping.signal.aborted) await follow();
      if ((isNothing && hasSections) || reports.some((report) => report.error !== undefined)) context.exitCode = 1;
    } finally {
      bar.clear();
      stop();
      forget();
    }

    /** Accepts a path relative to the working folder, or relative to the source. */
    async function explain(path: string): Promise<void> {
      const scope = { target, signal: stopping.signal };
      const absolute = resolve(context.cwd, path);
      const explanations = await knowledge
        .explain(absolute, scope)
        .catch((error: unknown) => knowledge.explain(path, scope).catch(() => Promise.reject(error)));
      if (options.json) printEvent({ explanations });
      else for (const { source, message } of explanations) printLine(context, `${source}  ${printableLine(message)}`);
    }

    async function follow(): Promise<void> {
      const watching = knowledge.watch();
      if (!options.json) printLine(context, 'Watching for changes. Press Ctrl-C to stop.');
      await new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve(), { once: true }));
      await watching.close();
    }

    function showEmbedding(event: {
      progress: { embedded: number; pending: number };
      done: boolean;
      message?: string;
    }) {
      const { embedded, pending } = event.progress;
      if (!event.done) return bar.show('embedding', embedded, embedded + pending);
      bar.clear();
      if (event.message !== undefined) context.stderr.write(`zoo: ${printableLine(event.message)}\n`);
      printLine(context, `  embeddings written: ${embedded}`);
      printLine(context, `  embeddings pending: ${pending}`);
    }

    function printReport(report: SyncReport): void {
      bar.clear();
      for (const line of describeReport(context, report)) printLine(context, line);
    }
  });
}

const noSources = `You have no sources yet. Add one to the config:

  [connectors.filesystem.docs]
  root = "./docs"`;

/** Joins `script --source jira` to `script:jira`. Throws UsageError. */
function targetOf(types: string, source: string | undefined): string {
  if (source === undefined || types === source) return types;
  if (types === 'all') return source;
  if (!types.includes(':')) return source.startsWith(`${types}:`) ? source : `${types}:${source}`;
  throw new UsageError(`Name the source once: "zoo sync ${types}" or "zoo sync --source ${source}".`);
}

/** Throws UsageError for a date that cannot be read. */
function readLimits({ since, until, limit }: SyncCommandOptions): Pick<SyncOptions, 'since' | 'until' | 'limit'> {
  return {
    ...(since !== undefined && { since: startOfMoment(checkMoment('--since', since)) }),
    ...(until !== undefined && { until: endOfMoment(checkMoment('--until', until)) }),
    ...(limit !== undefined && { limit }),
  };
}

function checkMoment(option: string, text: string): string {
  if (Moment.safeParse(text).success) return text;
  throw new UsageError(`${option} takes a date such as 2026-01-31, not "${printableLine(text.slice(0, 40))}".`);
}

function describeReport(context: CliContext, report: SyncReport): string[] {
  const { bold, dim, red, yellow } = colorsFor(context);
  const failures = report.failed
    .slice(0, 10)
    .map((each) => yellow(`  ${printableLine(each.sourceId)}: ${printableLine(each.message)}`));
  const more = report.failedCount - failures.length;
  return [
    bold(`sync ${report.source}${report.dryRun ? ' (dry-run)' : ''}`),
    ...countLines(report),
    dim(`  ${changesOf(report)} (${(report.durationMs / 1000).toFixed(1)} s)`),
    ...leftOutLines(report).map((line) => dim(`  ${line}`)),
    ...failures,
    ...(more > 0 ? [yellow(`  and ${count(more)} more could not be read`)] : []),
    ...(report.error === undefined ? [] : [red(`  ${printableLine(report.error)}`)]),
    ...(report.error === undefined ? (report.dryRun ? [] : ['ok']) : [red('failed')]),
  ];
}

/** The words and the order are those of Context Harness, because scripts look for them. */
function countLines({ dryRun, fetched, upserted, chunks, failedCount, newestAt }: SyncReport): string[] {
  if (dryRun) return [`  items found: ${fetched}`, `  estimated chunks: ${chunks}`];
  return [
    `  fetched: ${fetched} items`,
    `  upserted documents: ${upserted}`,
    `  chunks written: ${chunks}`,
    `  extraction skipped: ${failedCount}`,
    `  checkpoint: ${newestAt === null ? 0 : Math.floor(Date.parse(newestAt) / 1_000)}`,
  ];
}

function changesOf(report: SyncReport): string {
  const would = report.dryRun ? 'would be ' : '';
  const counts = (['added', 'changed', 'removed', 'unchanged'] as const)
    .filter((word) => report[word] > 0 || word === 'added')
    .map((word) => `${count(report[word])} ${word === 'unchanged' ? '' : would}${word}`);
  const { postponed = 0 } = report;
  return [...counts, ...(postponed > 0 ? [`${count(postponed)} left for another sync`] : [])].join(', ');
}

function leftOutLines(report: SyncReport): string[] {
  const { dropped, skipped } = describeLeftOut(report);
  const removed = report.dryRun ? 'would be removed' : 'removed';
  return [
    ...(dropped.length > 0 ? [`${removed} although the file exists: ${dropped.join(', ')}`] : []),
    ...(skipped.length > 0 ? [`skipped: ${skipped.join(', ')}`] : []),
  ];
}

export interface EmbedCommandOptions extends ConfigOption {
  rebuild: boolean;
  limit?: number;
  batchSize?: number;
  dryRun?: boolean;
  json?: boolean;
}

/** `zoo embed pending|rebuild`. */
export function embed(context: CliContext, { rebuild, ...options }: EmbedCommandOptions): Promise<void> {
  const { limit, batchSize, dryRun = false, json } = options;
  const stopping = new AbortController();
  const forget = onStop(context, () => stopping.abort());
  return withHub(context, options, async ({ knowledge }) => {
    const bar = progressBar(context);
    try {
      const result = await knowledge.embed({
        rebuild,
        dryRun,
        ...(limit !== undefined && { limit }),
        ...(batchSize !== undefined && { batchSize }),
        signal: stopping.signal,
        onProgress: ({ embedded, pending }) => bar.show('embedding', embedded, embedded + pending),
      });
      bar.clear();
      if (json) return printJson(context, result);
      const { embedded, pending } = result;
      printLine(context, `embed ${rebuild ? 'rebuild' : 'pending'}${dryRun ? ' (dry-run)' : ''}`);
      if (dryRun) return printLine(context, `  chunks needing embeddings: ${Math.min(pending, limit ?? pending)}`);
      if (embedded + pending === 0) return printLine(context, '  all chunks up to date');
      printLine(context, `  total ${rebuild ? 'chunks' : 'pending'}: ${embedded + pending}`);
      printLine(context, `  embedded: ${embedded}`);
      // A failure ends the command.
      printLine(context, '  failed: 0');
      if (pending > 0) printLine(context, `  still pending: ${pending}`);
    } finally {
      bar.clear();
      forget();
    }
  });
}
