import { resolve } from 'node:path';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, colorsFor, printJson, printLine } from '../cli/terminal/context.ts';
import { onStop } from '../cli/terminal/on-stop.ts';
import { count, progressBar } from '../cli/terminal/progress-bar.ts';
import { forTerminal, printableLine } from '../cli/terminal/text-width.ts';
import { describeLeftOut } from './describe-left-out.ts';
import type { SyncProgress, SyncReport } from './sync/sync-report.ts';

export interface SyncCommandOptions extends ConfigOption {
  full?: boolean;
  dryRun?: boolean;
  allowEmpty?: boolean;
  explain?: string;
  watch?: boolean;
  json?: boolean;
}

const phases: Record<SyncProgress['phase'], string> = {
  queued: 'waiting for another sync',
  scanning: 'scanning',
  indexing: 'indexing',
  removing: 'removing',
  merging: 'merging the index',
  done: 'done',
};

/** `zoo sync`. With `--json`, prints one line per event. Exits with 1 when a source could not be read. */
export function sync(context: CliContext, target: string, options: SyncCommandOptions): Promise<void> {
  const stopping = new AbortController();
  const forget = onStop(context, () => stopping.abort());
  return withHub(context, options, async ({ knowledge, config }) => {
    const bar = progressBar(context);
    const printEvent = (event: object) => printLine(context, forTerminal(context, JSON.stringify(event)));
    const stop = knowledge.events.on((event) => {
      if (options.json && event.type !== 'changed') printEvent(event);
      else if (event.type === 'progress') showProgress(event.progress);
      else if (event.type === 'synced') printReport(event.report);
      else if (event.type === 'embedding') showEmbedding(event);
    });
    try {
      if (options.explain !== undefined) return await explain(options.explain);
      const { full = false, dryRun = false, allowEmpty = false } = options;
      const reports = await knowledge.sync({ target, full, dryRun, allowEmpty, signal: stopping.signal });
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

    function showProgress({ source, phase, seen, toRead, read }: SyncProgress): void {
      const [now, total] = phase === 'indexing' ? [read, toRead] : [seen, 0];
      bar.show(`${source}  ${phases[phase]}`, now, total);
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
      else if (embedded > 0) printLine(context, `${count(embedded)} passages embedded.`);
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

function describeReport(context: CliContext, report: SyncReport): string[] {
  const { bold, dim, red, yellow } = colorsFor(context);
  const would = report.dryRun ? 'would be ' : '';
  const counts = (['added', 'changed', 'removed', 'unchanged'] as const)
    .filter((word) => report[word] > 0 || word === 'added')
    .map((word) => `${count(report[word])} ${word === 'unchanged' ? '' : would}${word}`);
  const isAllFailed = report.error !== undefined && report.added + report.changed + report.removed === 0;
  const time = dim(`(${(report.durationMs / 1000).toFixed(1)} s)`);
  const head = `${bold(report.source)}  ${isAllFailed ? red('failed') : counts.join(', ')} ${time}`;
  const failures = report.failed
    .slice(0, 10)
    .map((each) => yellow(`  ${printableLine(each.sourceId)}: ${printableLine(each.message)}`));
  const more = report.failedCount - failures.length;
  return [
    head,
    ...leftOutLines(report).map((line) => dim(`  ${line}`)),
    ...failures,
    ...(more > 0 ? [yellow(`  and ${count(more)} more could not be read`)] : []),
    ...(report.error === undefined ? [] : [red(`  ${printableLine(report.error)}`)]),
  ];
}

function leftOutLines(report: SyncReport): string[] {
  const { dropped, skipped } = describeLeftOut(report);
  const removed = report.dryRun ? 'would be removed' : 'removed';
  return [
    ...(dropped.length > 0 ? [`${removed} although the file exists: ${dropped.join(', ')}`] : []),
    ...(skipped.length > 0 ? [`skipped: ${skipped.join(', ')}`] : []),
  ];
}

/** `zoo embed pending|rebuild`. */
export function embed(
  context: CliContext,
  options: ConfigOption & { rebuild: boolean; json?: boolean },
): Promise<void> {
  const stopping = new AbortController();
  const forget = onStop(context, () => stopping.abort());
  return withHub(context, options, async ({ knowledge }) => {
    const bar = progressBar(context);
    try {
      const result = await knowledge.embed({
        rebuild: options.rebuild,
        signal: stopping.signal,
        onProgress: ({ embedded, pending }) => bar.show('embedding', embedded, embedded + pending),
      });
      bar.clear();
      if (options.json) return printJson(context, result);
      const rest = result.pending > 0 ? `, ${count(result.pending)} pending` : '';
      printLine(context, `${count(result.embedded)} passages embedded${rest}.`);
    } finally {
      bar.clear();
      forget();
    }
  });
}
