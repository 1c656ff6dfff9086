import { resolve } from 'node:path';
import { toIso } from '../base/clock.ts';
import { userId } from '../base/user-id.ts';
import { type ConfigOption, openHub, withHub } from '../cli/open-hub.ts';
import { recordCommand } from '../cli/record-command.ts';
import { type CliContext, colorsFor, printJson, printLine } from '../cli/terminal/context.ts';
import { onStop } from '../cli/terminal/on-stop.ts';
import { count, countOf, type ProgressBar, progressBar } from '../cli/terminal/progress-bar.ts';
import { UsageError } from '../cli/terminal/report-error.ts';
import { fitText, forTerminal, printableLine } from '../cli/terminal/text-width.ts';
import type {
  DecisionHistory,
  DecisionKind,
  DecisionQuery,
  LogProgress,
  StoredDecision,
} from '../tools/decision-log.ts';

export interface LogOptions extends ConfigOption {
  json?: boolean;
  follow?: boolean;
  member?: string;
  tool?: string;
  kind?: DecisionKind;
  task?: string;
  call?: string;
  since?: string;
  until?: string;
  text?: string;
  limit?: number;
}

/** `zoo log`: prints the newest entries last. With `--follow`, prints new entries as they arrive. */
export async function showLog(context: CliContext, options: LogOptions): Promise<void> {
  const query = toQuery(options);
  if (!options.follow) {
    return withHub(context, options, async ({ decisions }) => {
      const entries = await collect(decisions, query, options.limit ?? 50);
      if (options.json) return printJson(context, entries.map(toJson));
      if (entries.length === 0) return printLine(context, 'No entries match.');
      for (const entry of entries.toReversed()) printEntry(context, entry, options.call !== undefined);
    });
  }
  const hub = await openHub(context, { ...options, watch: true });
  try {
    await follow(context, hub.decisions, query, options);
  } finally {
    await hub.close();
  }
}

/** Reads several pages if needed: in a search for text, a page can be empty. */
async function collect(log: DecisionHistory, query: DecisionQuery, limit: number): Promise<StoredDecision[]> {
  const found: StoredDecision[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await log.page({ ...query, limit: Math.min(500, limit - found.length), ...(cursor && { cursor }) });
    found.push(...page.entries);
    cursor = page.cursor;
  } while (cursor !== null && found.length < limit);
  return found;
}

async function follow(
  context: CliContext,
  log: DecisionHistory,
  query: DecisionQuery,
  options: LogOptions,
): Promise<void> {
  const ending = new AbortController();
  const stopListening = onStop(context, () => ending.abort());
  const first = await log.page({ ...query, limit: Math.min(500, options.limit ?? 10) });
  print(first.entries.toReversed());
  let after = first.newest ?? (await log.page({ limit: 1 })).newest;
  let wake = () => {};
  const stopWatching = log.watch(() => wake());
  // Nothing else keeps the process alive while it waits for new entries.
  const alive = setInterval(() => {}, 60_000);
  const isEnding = new Promise<void>((resolve) => ending.signal.addEventListener('abort', () => resolve()));
  while (!ending.signal.aborted) {
    const news = new Promise<void>((resolve) => {
      wake = resolve;
    });
    for (;;) {
      const page = await log.page({ ...query, ...(after !== null && { after }), limit: 500 });
      print(after === null ? page.entries.toReversed() : page.entries);
      const isMore = page.newest !== null && page.newest !== after && page.entries.length > 0;
      after = page.newest ?? after;
      if (!isMore) break;
    }
    await Promise.race([news, isEnding]);
  }
  clearInterval(alive);
  stopWatching();
  stopListening();

  function print(entries: readonly StoredDecision[]): void {
    for (const entry of entries) {
      if (options.json) printLine(context, forTerminal(context, JSON.stringify(toJson(entry))));
      else printEntry(context, entry, false);
    }
  }
}

export interface VerifyLogOptions extends ConfigOption {
  json?: boolean;
  key?: string[];
  anchors?: string[];
}

/** `zoo log verify`: sets exit code 1 if an entry was changed or is missing. */
export function verifyLog(context: CliContext, options: VerifyLogOptions): Promise<void> {
  const paths = (files: readonly string[] = []) => files.map((file) => resolve(context.cwd, file));
  const given = { keys: paths(options.key), anchors: paths(options.anchors) };
  return withHub(context, options, async ({ decisions }) => {
    const bar = progressBar(context);
    const report = await decisions
      .verify({ ...given, onProgress: (progress) => showLogProgress(bar, progress) })
      .finally(bar.clear);
    if (options.json) printJson(context, report);
    else {
      for (const { message } of report.problems) printLine(context, printableLine(message));
      const entries = report.rows === 1 ? '1 entry' : `${count(report.rows)} entries`;
      const whole = `${entries} in ${countOf(report.chains, 'chain')}`;
      const broken = `${countOf(report.problems.length, 'problem')} found: the log was changed.`;
      printLine(
        context,
        report.problems.length === 0 ? `${whole} verified. No changes found.` : `${whole} verified. ${broken}`,
      );
      printList(context, 'Proven:', report.proven);
      printList(context, 'Not proven:', report.unproven);
    }
    if (report.problems.length > 0) context.exitCode = 1;
  });
}

function printList(context: CliContext, title: string, sentences: readonly string[]): void {
  if (sentences.length === 0) return;
  printLine(context, title);
  for (const sentence of sentences) printLine(context, `  - ${printableLine(sentence)}`);
}

const phases: Record<LogProgress['phase'], string> = { keys: 'indexing the log', verify: 'verifying the log' };

export function showLogProgress(bar: ProgressBar, { phase, done, total }: LogProgress): void {
  bar.show(phases[phase], done, total);
}

/** `zoo log prune --before DATE`. */
export function pruneLog(
  context: CliContext,
  options: ConfigOption & { json?: boolean; before: string },
): Promise<void> {
  return withHub(context, options, async (hub) => {
    const before = moment('--before', options.before);
    const removed = await hub.decisions.prune(before);
    const act = { summary: 'Delete old entries of the log', after: { before: toIso(before), removed } };
    await recordCommand(hub, 'zoo log prune', act);
    if (options.json) return printJson(context, { removed });
    printLine(context, `${removed} entries deleted.`);
  });
}

function toQuery({ member, tool, kind, task, call, since, until, text }: LogOptions): DecisionQuery {
  return {
    ...(member !== undefined && { agentId: member }),
    ...(tool !== undefined && { tool }),
    ...(kind !== undefined && { kind }),
    ...(task !== undefined && { taskId: task }),
    ...(call !== undefined && { callId: call }),
    ...(since !== undefined && { since: moment('--since', since) }),
    ...(until !== undefined && { until: moment('--until', until) }),
    ...(text !== undefined && { text }),
  };
}

const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a date, a time, or an age: 30m, 2h, 7d. */
function moment(option: string, text: string): number {
  const ago = /^(\d{1,6})([mhd])$/.exec(text);
  if (ago) return Date.now() - Number(ago[1]) * (units[ago[2] ?? ''] ?? 0);
  const at = Date.parse(text);
  if (!Number.isNaN(at)) return at;
  throw new UsageError(`${option} must be a date, a time or how long ago (30m, 2h, 7d); "${text}" is not.`);
}

function toJson(entry: StoredDecision): object {
  return { ...entry, at: toIso(entry.at), context: JSON.parse(entry.context) };
}

function printEntry(context: CliContext, entry: StoredDecision, isWhole: boolean): void {
  const colors = colorsFor(context);
  const { cyan, green, red, yellow, magenta } = colors;
  const paint = { invocation: cyan, result: green, error: red, manual: yellow, act: magenta }[entry.kind];
  const { agentId, persona, client, surface } = entry;
  const who = agentId === userId ? `you (${surface})` : (agentId ?? client ?? persona ?? surface);
  const head = `${colors.dim(toIso(entry.at))}  ${printableLine(who).padEnd(16)}  ${paint(entry.kind.padEnd(10))}`;
  const what = wordsOf(entry);
  printLine(context, `${head}  ${printableLine(what)}`);
  if (isWhole) printLine(context, `${colors.dim(entry.callId)}\n${forTerminal(context, pretty(entry.context))}\n`);
  else if (entry.kind === 'error')
    printLine(context, colors.dim(`  ${fitText(printableLine(errorText(entry.context)), 300)} (${entry.callId})`));
}

function wordsOf({ kind, decision, reasoning, tool }: StoredDecision): string {
  if (kind === 'act') return `${decision} (${tool})`;
  return kind === 'manual' ? `${decision}: ${reasoning}` : tool;
}

/** Returns `CODE: message` if the entry has both, otherwise the JSON. */
function errorText(json: string): string {
  const { code, message } = Object(JSON.parse(json));
  return typeof code === 'string' && typeof message === 'string' ? `${code}: ${message}` : json;
}

/** Formats the JSON, with the lines of a stack trace on separate lines. */
function pretty(json: string): string {
  const text = JSON.stringify(JSON.parse(json), null, 2);
  return text.replace(
    /"stack": "((?:[^"\\]|\\.)*)"/,
    (_, stack: string) => `"stack":\n${stack.replaceAll('\\n', '\n')}`,
  );
}
