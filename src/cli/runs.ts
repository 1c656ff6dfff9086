import type { StoredRunDetail } from '../engine/run-store.ts';
import { indent } from './agent-test.ts';
import { type CliContext, colorsFor, printJson, printLine } from './context.ts';
import { type ConfigOption, withHub } from './open-hub.ts';
import { printTable, shortTime } from './print-table.ts';
import { printableLine } from './text-width.ts';

export interface RunsOptions extends ConfigOption {
  agent?: string;
  limit: number;
  json?: boolean;
}

/** `zoo runs`, and `zoo runs ID`: how far each came, also one whose process ended in the middle. */
export function showRuns(context: CliContext, id: string | undefined, options: RunsOptions): Promise<void> {
  return withHub(context, options, async (hub) => {
    if (id !== undefined) {
      const run = await hub.store.runs.get(id);
      return options.json ? printJson(context, run) : printRun(context, run);
    }
    const { runs } = await hub.store.runs.list({ agentId: options.agent, limit: options.limit });
    if (options.json) return printJson(context, runs);
    if (runs.length === 0) return printLine(context, 'Nothing was run yet. "zoo run AGENT MESSAGE" runs an agent.');
    const rows = runs.map((run) => [
      run.id,
      run.status,
      run.agentId ?? '–',
      run.model,
      String(run.ticks),
      String(run.usage.inputTokens + run.usage.outputTokens),
      shortTime(new Date(run.startedAt).toISOString()),
      run.title,
    ]);
    printTable(context, ['RUN', 'STATUS', 'AGENT', 'MODEL', 'TICKS', 'TOKENS', 'BEGUN', 'MESSAGE'], rows);
  });
}

function printRun(context: CliContext, run: StoredRunDetail): void {
  const { bold, dim } = colorsFor(context);
  printLine(context, `${bold(run.id)}  ${run.status}  ${dim(`${run.agentId ?? '–'}, ${run.model}`)}`);
  if (run.reason !== null) printLine(context, dim(printableLine(run.reason)));
  if (run.error) printLine(context, printableLine(`${run.error.code}: ${run.error.message}`));
  for (const { role, content } of run.messages) {
    printLine(context, `\n${bold(role)}`);
    for (const block of content) {
      if (block.type === 'text') printLine(context, indent(block.text));
      else printLine(context, indent(dim(printableLine(JSON.stringify(block)).slice(0, 400))));
    }
  }
  const open = run.calls.filter(({ state }) => state === 'waiting' || state === 'running');
  if (open.length === 0) return;
  printLine(context, `\n${bold('Calls that had not ended')}`);
  for (const { id, tool, state } of open) printLine(context, `  ${tool}  ${state}  ${dim(id)}`);
}
