import type { CliContext } from '../cli/terminal/context.ts';
import { count, type ProgressBar, progressBar } from '../cli/terminal/progress-bar.ts';
import type { SyncProgress } from './sync/sync-report.ts';

const phases: Record<SyncProgress['phase'], string> = {
  queued: 'waiting for another sync',
  scanning: 'scanning',
  indexing: 'indexing',
  removing: 'removing',
  merging: 'merging the index',
  done: 'done',
};

/** Shows how far a sync is, on stderr. */
export interface SyncProgressBar extends ProgressBar {
  sync(progress: SyncProgress): void;
}

/**
 * Shows a bar on a terminal. `human` writes lines where there is no terminal, `json` writes one object per line, and `false`
 * nothing at all; these lines are those of Context Harness.
 */
export function syncProgress(context: CliContext, mode: 'human' | 'json' | false | undefined): SyncProgressBar {
  const { stderr } = context;
  const bar = progressBar(context);
  if (mode === undefined || (mode === 'human' && stderr.isTTY)) {
    return {
      ...bar,
      sync({ source, phase, seen, toRead, read }) {
        const [now, total] = phase === 'indexing' ? [read, toRead] : [seen, 0];
        bar.show(`${source}  ${phases[phase]}`, now, total);
      },
    };
  }
  const nothing = { show() {}, clear() {} };
  if (mode === false) return { ...nothing, sync() {} };
  const toLine = mode === 'json' ? jsonLine : humanLine;
  return {
    ...nothing,
    sync(progress) {
      const line = toLine(progress);
      if (line !== undefined) stderr.write(`${line}\n`);
    },
  };
}

function jsonLine(progress: SyncProgress): string | undefined {
  const event = { event: 'progress', connector: progress.source };
  if (progress.phase === 'scanning') return JSON.stringify({ ...event, phase: 'discovering' });
  const { read: n, toRead: total } = progress;
  return isReading(progress) ? JSON.stringify({ ...event, phase: 'ingesting', n, total }) : undefined;
}

function humanLine(progress: SyncProgress): string | undefined {
  const { source, phase, read, toRead } = progress;
  if (phase === 'scanning') return `sync ${source}  discovering...`;
  return isReading(progress) ? `sync ${source}  ingesting  ${count(read)} / ${count(toRead)} items` : undefined;
}

/** The phase after indexing brings the final count. */
function isReading({ phase, toRead }: SyncProgress): boolean {
  return toRead > 0 && (phase === 'indexing' || phase === 'removing');
}
