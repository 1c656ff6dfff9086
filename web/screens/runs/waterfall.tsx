import { BrainCircuit, FileText, GitFork, Wrench } from 'lucide-react';
import { useMemo } from 'react';
import type { RunStep, StoredRun } from '../../../src/engine/run-store.ts';
import { costWords, tokenWords } from '../../parts/runs/usage-words.ts';
import { classes } from '../../ui/classes.ts';
import { durationName } from '../../ui/duration-name.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { LongList } from '../../ui/long-list.tsx';
import { CalledRun } from './called-run.tsx';
import { axisLabels, type Bar, barsOf, spanOf } from './waterfall-bars.ts';

export interface WaterfallProps {
  steps: readonly RunStep[];
  onPrompt: (step: number) => void;
  /** Absent if the run cannot be forked. */
  onFork?: ((step: number) => void) | undefined;
  /** The runs that each step started. */
  called: ReadonlyMap<number, readonly StoredRun[]>;
  /** The number of the step to scroll to and point out. */
  marked: number | null;
}

/** The steps of a run, each as a bar on a common time line. */
export function Waterfall({ steps, onPrompt, onFork, called, marked }: WaterfallProps) {
  const bars = useMemo(() => barsOf(steps), [steps]);
  return (
    <>
      <TimeAxis steps={steps} />
      <LongList
        label="Steps"
        items={steps}
        keyOf={({ step }) => String(step)}
        estimateSize={52}
        gap={0}
        className="overflow-hidden rounded-card border border-line bg-surface shadow-card"
        shown={steps.findIndex(({ step }) => step === marked)}
      >
        {(step, index) => (
          <div
            id={`step-${step.step}`}
            data-step={step.kind}
            className={classes(
              'grid grid-cols-[minmax(0,15rem)_minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-4 py-2 max-sm:grid-cols-[minmax(0,1fr)_auto]',
              index > 0 && 'border-line border-t',
              step.step === marked && 'bg-accent-soft',
            )}
          >
            <StepName step={step} called={called.get(step.step)} />
            <TimeBar bar={bars[index]} step={step} />
            <span className="flex w-18 justify-end gap-1 max-sm:col-start-2 max-sm:row-start-1">
              {step.kind === 'model' && (
                <IconButton
                  size="sm"
                  label={`Show the prompt of step ${step.step}`}
                  icon={<FileText aria-hidden />}
                  onClick={() => onPrompt(step.step)}
                />
              )}
              {step.kind === 'model' && onFork && (
                <IconButton
                  size="sm"
                  label={`Fork from step ${step.step}`}
                  icon={<GitFork aria-hidden />}
                  onClick={() => onFork(step.step)}
                />
              )}
            </span>
          </div>
        )}
      </LongList>
    </>
  );
}

const clock = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** The times above the bars, since the start of the first step. Each step also names its own clock time. */
function TimeAxis({ steps }: { steps: readonly RunStep[] }) {
  const { start, end } = spanOf(steps);
  return (
    <div aria-hidden className="mb-1 grid grid-cols-[minmax(0,15rem)_minmax(0,1fr)_auto] gap-x-4 px-4 max-sm:hidden">
      <span />
      <span data-axis className="flex justify-between text-2xs text-faint tabular-nums">
        {axisLabels(end - start).map((label) => (
          <span key={label}>{label}</span>
        ))}
      </span>
      <span className="w-18" />
    </div>
  );
}

function StepName({ step, called = [] }: { step: RunStep; called?: readonly StoredRun[] | undefined }) {
  const isModel = step.kind === 'model';
  const Icon = isModel ? BrainCircuit : Wrench;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <span className="w-5 shrink-0 text-right text-faint text-xs tabular-nums">{step.step}</span>
      <Icon aria-hidden className={classes('size-4 shrink-0', isModel ? 'text-accent-text' : 'text-muted')} />
      <span className="min-w-0">
        <span className="block truncate font-mono text-xs" title={isModel ? step.model : step.tool}>
          {isModel ? step.model : step.tool}
        </span>
        <span className="block text-faint text-xs tabular-nums [overflow-wrap:anywhere]">{detailOf(step)}</span>
        {called.map((run) => (
          <CalledRun key={run.id} run={run} />
        ))}
      </span>
    </span>
  );
}

function detailOf(step: RunStep): string {
  const took = `${clock.format(step.startedAt)} · ${durationName(step.endedAt - step.startedAt)}`;
  if (step.kind === 'tool') {
    const { state, used } = step;
    const spent = used ? [`called agents: ${tokenWords(used.usage)}`, ...priceOf(used.cost)] : [];
    return [took, ...(state === 'finished' ? [] : [state]), ...spent].join(' · ');
  }
  const { usage, cost, error } = step;
  return [took, ...(usage ? [tokenWords(usage)] : []), ...priceOf(cost), ...(error === null ? [] : [error])].join(
    ' · ',
  );
}

function priceOf(cost: number | null): string[] {
  return cost === null ? [] : [costWords(cost)];
}

function TimeBar({ bar, step }: { bar: Bar | undefined; step: RunStep }) {
  if (!bar) return null;
  const hasFailed = step.kind === 'model' ? step.error !== null : step.state !== 'finished';
  const color = hasFailed ? 'bg-danger' : step.kind === 'model' ? 'bg-accent' : 'bg-faint';
  return (
    <span aria-hidden className="relative block h-4 rounded bg-sunken max-sm:col-span-2">
      <span
        className={classes('absolute inset-y-0 rounded', color)}
        style={{ left: `${bar.left}%`, width: `max(3px, ${bar.width}%)` }}
      />
      {bar.waiting > 0 && (
        <span
          title="Waiting for the first part of the answer"
          className="absolute inset-y-0 rounded-l bg-surface/50"
          style={{ left: `${bar.left}%`, width: `${bar.waiting}%` }}
        />
      )}
    </span>
  );
}
