import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, printJson, printLine } from '../cli/terminal/context.ts';
import { printTable, shortTime } from '../cli/terminal/print-table.ts';
import { printRun } from './print-run.cli.ts';

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
      return options.json ? printJson(context, run) : printRun(context, run, Date.now());
    }
    const { runs } = await hub.store.runs.list({ agentId: options.agent, limit: options.limit });
    if (options.json) return printJson(context, runs);
    if (runs.length === 0) return printLine(context, 'You have no runs yet. Start one with "zoo run AGENT MESSAGE".');
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
    printTable(context, ['RUN', 'STATUS', 'AGENT', 'MODEL', 'TICKS', 'TOKENS', 'STARTED', 'MESSAGE'], rows);
  });
}
