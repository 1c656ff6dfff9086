import { stateWords } from '../chats/call-state.ts';
import { tokensAndCost } from '../chats/print-answer.cli.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, colorsFor, printJson, printLine } from '../cli/terminal/context.ts';
import { printTable, shortTime } from '../cli/terminal/print-table.ts';
import { fitText, printable, printableLine } from '../cli/terminal/text-width.ts';
import type { StoredRunDetail } from '../engine/run-store.ts';
import type { ContentBlock } from '../tools/content.ts';
import { conversationOf, type RunTurn } from './run-conversation.ts';

export interface RunsOptions extends ConfigOption {
  agent?: string;
  called?: boolean;
  limit: number;
  json?: boolean;
}

/** `zoo runs` and `zoo runs ID`: prints runs, including interrupted ones. */
export function showRuns(context: CliContext, id: string | undefined, options: RunsOptions): Promise<void> {
  return withHub(context, options, async (hub) => {
    if (id !== undefined) {
      const run = await hub.store.runs.get(id);
      return options.json ? printJson(context, run) : printRun(context, run, Date.now());
    }
    const { agent: agentId, called, limit } = options;
    const { runs } = await hub.store.runs.list({ agentId, limit, called: called ? 'show' : 'hide' });
    if (options.json) return printJson(context, runs);
    if (runs.length === 0) return printLine(context, noRunsText(options));
    const rows = runs.map((run) => [
      run.id,
      run.status,
      run.agentId ?? '–',
      run.model,
      String(run.ticks),
      String(run.usage.inputTokens + run.usage.outputTokens),
      shortTime(new Date(run.startedAt).toISOString()),
      run.calledBy === null ? run.title : `↳ ${run.title}`,
    ]);
    printTable(context, ['RUN', 'STATUS', 'AGENT', 'MODEL', 'TICKS', 'TOKENS', 'STARTED', 'MESSAGE'], rows);
  });
}

function noRunsText({ agent, called }: RunsOptions): string {
  if (agent === undefined) return 'You have no runs yet. Start one with "zoo run AGENT MESSAGE".';
  const hint = called ? '' : ' Use --called to include runs that other runs started.';
  return `No runs of the agent "${printableLine(agent)}" were found.${hint}`;
}

type Call = Extract<RunTurn, { kind: 'call' }>;

const names = { system: 'Instructions', user: 'You', assistant: 'Agent', tool: 'Tool' } as const;
const shownLines = 4;

/** Prints a run: messages in full, calls and results shortened, and its outcome. `--json` prints everything. */
export function printRun(context: CliContext, run: StoredRunDetail, now: number): void {
  const { bold, dim, red } = colorsFor(context);
  const startTime = shortTime(new Date(run.startedAt).toISOString());
  printLine(context, `${bold(run.id)}  ${run.status}`);
  printLine(context, dim(printableLine(`${run.agentId ?? 'no agent'}, ${run.model}, started ${startTime}`)));
  if (run.calledBy) printLine(context, dim(printableLine(callerText(run.calledBy, run.caller))));
  let speaker = '';
  for (const turn of conversationOf(run)) {
    const next = turn.kind === 'said' ? names[turn.role] : names.assistant;
    if (next !== speaker) printLine(context, `\n${bold(next)}`);
    speaker = next;
    for (const line of linesOf(context, turn, run)) printLine(context, line === '' ? '' : `  ${line}`);
  }
  printLine(context);
  if (run.error) printLine(context, red(printableLine(`${run.error.code}: ${run.error.message}`)));
  else if (run.status !== 'completed' && run.status !== 'running') printLine(context, printableLine(endOf(run)));
  printLine(context, dim(effortText(run, now)));
  const most = run.called.length < run.calledRuns ? ` (the last ${run.called.length} of ${run.calledRuns})` : '';
  if (run.called.length > 0) printLine(context, `\n${bold('Called runs')}${most}`);
  for (const { id, agentId, status, usage, cost } of run.called)
    printLine(context, printableLine(`  ${id}  ${agentId ?? 'no agent'}, ${status}, ${tokensAndCost(usage, cost)}`));
}

function linesOf(context: CliContext, turn: RunTurn, { status }: StoredRunDetail): string[] {
  const { dim } = colorsFor(context);
  if (turn.kind === 'call') return callLines(context, turn, status === 'interrupted');
  const text = turn.kind === 'thought' ? turn.text : blockText(turn.block);
  const lines = printable(text).trim().split('\n');
  return turn.kind === 'thought' ? lines.map((line) => dim(line)) : lines;
}

function callLines(context: CliContext, { tool, input, state, result }: Call, isInterrupted: boolean): string[] {
  const { cyan, green, red, dim } = colorsFor(context);
  // Cut to the terminal's width, because wrapped lines are hard to tell apart.
  const room = (context.stdout.isTTY ? Math.max(20, context.stdout.columns ?? 100) : 160) - 5;
  const called = fitText(printableLine(`${tool} ${JSON.stringify(input) ?? ''}`), room);
  const head = `${cyan('→')} ${called.slice(0, tool.length)}${dim(called.slice(tool.length))}`;
  if (!result) return [head, dim(`… ${stateWords(state, isInterrupted)}`)];
  const lines = printable(result.content.map(blockText).join('\n')).trim().split('\n');
  const shown = lines.slice(0, shownLines).map((line) => dim(fitText(line.replaceAll('\t', ' '), room)));
  const more = lines.length - shown.length;
  const rest = more > 0 ? [dim(`… ${more} more ${more === 1 ? 'line' : 'lines'}`)] : [];
  const [first = '', ...others] = [...shown, ...rest];
  return [head, `${result.isError ? red('✗') : green('✓')} ${first}`, ...others.map((line) => `  ${line}`)];
}

function callerText({ runId }: NonNullable<StoredRunDetail['calledBy']>, caller: StoredRunDetail['caller']): string {
  if (caller === null) return `called by ${runId}, which was deleted`;
  const { agentId, step } = caller;
  return [
    `called by ${runId}`,
    ...(agentId === null ? [] : [agentId]),
    ...(step === null ? [] : [`step ${step}`]),
  ].join(', ');
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return `[link: ${block.uri}]`;
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[file: ${block.resource.uri}]`;
    default:
      return `[${block.type}, ${block.mimeType}]`;
  }
}

function endOf({ status, reason }: StoredRunDetail): string {
  return reason ?? (status === 'interrupted' ? 'The process ended before the run was complete.' : status);
}

function effortText(run: StoredRunDetail, now: number): string {
  const { inputTokens, outputTokens } = run.usage;
  const ticks = `${run.ticks} ${run.ticks === 1 ? 'tick' : 'ticks'}`;
  const end = run.finishedAt ?? (run.status === 'running' ? now : run.heartbeatAt);
  const used = tokensAndCost(run.usage, run.cost).replace(
    ' tokens',
    ` tokens (${inputTokens} in, ${outputTokens} out)`,
  );
  return `${run.status === 'running' ? 'So far' : 'Took'} ${duration(Math.max(0, end - run.startedAt))}, ${ticks}, ${used}`;
}

/** Returns a duration such as `0.4 s`, `12.0 s` or `3 min 5 s`. */
function duration(ms: number): string {
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
