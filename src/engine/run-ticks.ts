import { systemClock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { newId } from '../base/ids.ts';
import { silentLogger } from '../base/logger.ts';
import { silentTracer } from '../base/tracer.ts';
import { checkBudget } from './budget.ts';
import { endRun, type RunEnd } from './end-run.ts';
import { EventQueue } from './event-queue.ts';
import type { Message } from './message.ts';
import { RunComponents } from './run-components.ts';
import type { RunEvent, RunResult } from './run-events.ts';
import type { RunOptions, RunParts } from './run-options.ts';
import { RunSpans } from './run-spans.ts';
import { RunState } from './run-state.ts';
import { runLoop } from './tick-loop.ts';
import { nothingToAnswer, readInput } from './to-messages.ts';

export interface Run extends StartedRun {
  /** For one reader, which may be slow. If it stops reading, the run is aborted. Never throws: the last event has the result. */
  events: AsyncIterableIterator<RunEvent>;
}

/** A run without an event queue. */
export interface StartedRun {
  runId: string;
  /** Never rejects: a failure is a result with `status: 'failed'`. */
  result: Promise<RunResult>;
  /** Stops the run; the result has the reason. Does nothing once the run has ended. */
  abort(reason: string): void;
}

/**
 * Runs a model with tools: context → model → tools in parallel → next tick, until the model has nothing more to do, a stop
 * condition is met, a limit is reached, or the run is aborted. Everything that runs an agent calls this (or `startTicks`, `executeTicks`).
 *
 * Tools run only after the model's answer is complete, each call once. Every call in the conversation has a result, even if the run is
 * aborted. After the start, failures are reported through events and the result. Invalid arguments throw immediately:
 * INVALID_ARGUMENTS, and NOT_CONFIGURED for `maxCost` with a model of unknown price.
 */
export function runTicks(parts: RunParts, options: RunOptions): Run {
  const queue = new EventQueue<RunEvent>(() => run.abort('Nobody reads the events of the run any more.'));
  const run = startTicks(parts, options, (event) => queue.push(event));
  return { ...run, events: queue, result: run.result.finally(() => queue.end()) };
}

/** Like `runTicks`, but calls `onEvent` synchronously with each event, because a queue would cost more than the loop. `onEvent` must not throw. */
export function startTicks(parts: RunParts, options: RunOptions, onEvent: (event: RunEvent) => void): StartedRun {
  const run = openRun(parts, options, onEvent);
  return { runId: run.id, result: drive(run, parts), abort: (reason) => run.abort(reason) };
}

/** Like `runTicks`, but returns only the result. Rejects with the errors that `runTicks` throws. */
export async function executeTicks(parts: RunParts, options: RunOptions): Promise<RunResult> {
  return startTicks(parts, options, () => {}).result;
}

function openRun(parts: RunParts, options: RunOptions, emit: (event: RunEvent) => void): RunState {
  const { model, com, components = [], store, resolveModel, clock = systemClock, logger = silentLogger } = parts;
  const { maxTicks, budget, payer, input } = options;
  if (maxTicks !== undefined && !(Number.isInteger(maxTicks) && maxTicks > 0)) {
    throw new HubError('INVALID_ARGUMENTS', 'maxTicks must be a whole number above 0.');
  }
  const limitsCost = budget?.maxCost !== undefined || payer?.limitsCost === true;
  checkBudget(budget ?? {}, { limitsCost }, model);
  const entries = input === undefined ? [] : readInput(input);
  // A component can add the first message.
  const isEmpty = components.length === 0 && entries.length === 0 && com.messages.length === 0;
  if (isEmpty) throw nothingToAnswer();
  com.addConversation(entries);
  const id = options.runId ?? newId('run', clock.now());
  return new RunState({ id, model, com, clock, logger, store, resolveModel, options, emit });
}

/** Never rejects. */
async function drive(run: RunState, parts: RunParts): Promise<RunResult> {
  const { options, model } = run;
  const outer = options.signal;
  const abort = () => run.abort(outer?.reason instanceof HubError ? outer.reason.message : 'The run was aborted.');
  if (outer?.aborted) abort();
  outer?.addEventListener('abort', abort, { once: true });
  const { agent, traceparent: parent } = options;
  const spans = new RunSpans(parts.tracer ?? silentTracer, { runId: run.id, agent, model, parent });
  const name = `${model.provider}/${model.modelId}`;
  run.emit({ type: 'run.started', runId: run.id, model: name });
  run.outside.onAdded = (source) => run.emit({ type: 'outside.read', source });
  for (const source of options.alreadyRead ?? []) run.outside.add(source);
  const end = await reachEnd(run, { parts, spans, name });
  outer?.removeEventListener('abort', abort);
  const result = await endRun(run, end);
  run.outside.onAdded = undefined;
  spans.endRun(run.usage, result.status === 'aborted' ? 'CANCELLED' : result.error?.code);
  run.emit({ type: 'run.finished', result });
  return result;
}

interface DriveOptions {
  parts: RunParts;
  spans: RunSpans;
  name: string;
}

async function reachEnd(run: RunState, { parts, spans, name }: DriveOptions): Promise<RunEnd> {
  try {
    const messages = run.com.messages.slice();
    const agentId = run.options.agent?.id ?? null;
    const outside = run.outside.sources;
    const { calledBy } = run.options;
    await run.record.begin({ agentId, model: name, title: titleOf(messages), messages, outside, calledBy });
    return await runLoop(run, spans, new RunComponents(run, parts.components ?? []));
  } catch (error) {
    return { status: 'failed', error };
  }
}

/** Returns the first line of the last question. */
function titleOf(messages: readonly Message[]): string {
  const question = messages.findLast(({ role }) => role === 'user');
  const text = question?.content.find((block) => block.type === 'text')?.text ?? '';
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
