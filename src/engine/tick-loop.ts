import { untilAborted } from '../base/abort.ts';
import type { AnswerDraft } from './answer-draft.ts';
import { askModel } from './ask-model.ts';
import { callTool, notRun } from './call-tool.ts';
import { chooseModel } from './choose-model.ts';
import type { RunEnd } from './end-run.ts';
import type { ToolResultBlock } from './message.ts';
import type { FinishReason } from './model.ts';
import type { RunComponents } from './run-components.ts';
import type { StopCondition } from './run-options.ts';
import type { RunSpans } from './run-spans.ts';
import type { RunState } from './run-state.ts';
import { nothingToAnswer } from './to-messages.ts';
import { costOf, subtractUsage } from './usage.ts';

const defaultMaxTicks = 10;

/** Runs ticks until the run is complete. Throws the error that fails the run, or the signal's reason; even then, every call in the conversation has a result. */
export async function runLoop(run: RunState, spans: RunSpans, components: RunComponents): Promise<RunEnd> {
  try {
    await components.mount();
    for (;;) {
      const end = await nextTick(run, spans, components);
      if (!end) continue;
      await complete(components);
      return end;
    }
  } finally {
    await components.unmount();
  }
}

/** Runs a tick. If it fails and a component recovers, the run continues within its limit of ticks. */
async function nextTick(run: RunState, spans: RunSpans, components: RunComponents): Promise<RunEnd | undefined> {
  try {
    return await runTick(run, spans, components);
  } catch (error) {
    if (!(await components.recover(error))) throw error;
    return reachedTicks(run);
  }
}

async function complete(components: RunComponents): Promise<void> {
  try {
    await components.complete();
  } catch (error) {
    if (!(await components.recover(error))) throw error;
  }
}

async function runTick(run: RunState, spans: RunSpans, components: RunComponents): Promise<RunEnd | undefined> {
  run.signal.throwIfAborted();
  const empty = run.purse.spent();
  if (empty !== undefined) return { status: 'budget', reason: empty };
  run.ticks += 1;
  const tick = run.ticks;
  run.emit({ type: 'tick.started', tick });
  await components.startTick(tick);
  await chooseModel(run);
  if (run.com.messages.length === 0) throw nothingToAnswer();
  // Checks again: while a component prepared the tick, another agent may have used up the shared purse.
  const emptied = run.purse.spent();
  if (emptied !== undefined) return { status: 'budget', reason: emptied };
  const before = run.usage;
  const answer = await askModel(run, spans);
  if (answer.refusal !== undefined) {
    const { reason, kind } = answer.refusal;
    return { status: 'budget', reason, refusal: kind };
  }
  run.text = answer.text;
  if (!answer.finish || answer.error) {
    keepPart(run, answer);
    throw answer.error ?? run.signal.reason;
  }
  const { reason } = answer.finish;
  const limit = run.purse.spent();
  const results = await takeAnswer(run, spans, { answer, refusal: limit ?? callRefusals[reason] });
  const usage = subtractUsage(run.usage, before);
  const calls = answer.calls.map(({ use }) => use);
  await components.endTick({ reason, description: completionReasons[reason], usage, calls, results });
  run.calls = [];
  await run.record.save();
  run.emit({ type: 'tick.finished', tick, usage, cost: costOf(usage, run.model.price), reason });
  if (results.length === 0) return { status: 'completed', reason: components.stopped ?? completionReasons[reason] };
  run.signal.throwIfAborted();
  // The calls may have used up the rest.
  const spent = limit ?? run.purse.spent();
  if (spent !== undefined) return { status: 'budget', reason: spent };
  if (callRefusals[reason] !== undefined) return { status: 'completed', reason: completionReasons[reason] };
  if (components.stopped !== undefined) return { status: 'completed', reason: components.stopped };
  return nextOrEnd(run, answer, results);
}

/** The reason of a completed run, by finish reason. */
const completionReasons: Record<FinishReason, string> = {
  stop: 'The model finished its answer.',
  length: 'The answer reached the limit of output tokens.',
  'content-filter': "The provider's content filter stopped the answer.",
  'tool-calls': 'The model finished its answer.',
  error: 'The model ended its answer with an error.',
  other: 'The model finished its answer.',
};

/** Finish reasons after which the calls of an answer must not run, because they may not be what the model intended. */
const callRefusals: Partial<Record<FinishReason, string>> = {
  'content-filter': "the provider's content filter stopped the answer.",
};

/** Adds the answer and the results of its calls to the conversation. Never throws. */
async function takeAnswer(
  run: RunState,
  spans: RunSpans,
  { answer, refusal }: { answer: AnswerDraft; refusal: string | undefined },
): Promise<ToolResultBlock[]> {
  const content = answer.content();
  if (content.length === 0) return [];
  run.com.addAnswer({ role: 'assistant', content });
  const why = run.signal.aborted ? 'the run was aborted.' : refusal;
  const results =
    why === undefined ? await callAll(run, spans, answer) : answer.calls.map(({ use }) => notRun(use, why));
  run.com.addResults(results);
  return results;
}

/** Runs all calls in parallel; the results are in the order of the calls. */
function callAll(run: RunState, spans: RunSpans, { calls }: AnswerDraft): Promise<ToolResultBlock[]> {
  const open = calls.map((call) => ({
    ...call,
    stored: { id: call.use.id, tool: call.use.name, state: 'waiting' as const },
  }));
  run.calls = open.map(({ stored }) => stored);
  for (const { use } of open) run.emit({ type: 'tool.called', id: use.id, tool: use.name, input: use.input });
  return Promise.all(open.map((call) => callTool(run, spans, call)));
}

/** Adds the received part of an incomplete answer to the conversation. */
function keepPart(run: RunState, answer: AnswerDraft): void {
  const content = answer.content();
  if (content.length === 0) return;
  run.com.addAnswer({ role: 'assistant', content });
  run.com.addResults(answer.calls.map(({ use }) => notRun(use, 'the answer that contains it was cut off.')));
}

async function nextOrEnd(
  run: RunState,
  answer: AnswerDraft,
  results: readonly ToolResultBlock[],
): Promise<RunEnd | undefined> {
  const { stopWhen = [] } = run.options;
  const conditions: readonly StopCondition[] = typeof stopWhen === 'function' ? [stopWhen] : stopWhen;
  if (conditions.length > 0) {
    const calls = answer.calls.map(({ use }, index) => ({
      tool: use.name,
      input: use.input,
      isError: results[index]?.isError ?? true,
    }));
    const messages = run.com.messages.slice(run.firstMessage);
    const state = { tick: run.ticks, text: run.text, messages, calls, usage: run.usage, cost: run.cost };
    for (const condition of conditions) {
      if (await untilAborted(run.signal, () => condition(state))) {
        return { status: 'completed', reason: 'A stop condition was met.' };
      }
    }
  }
  return reachedTicks(run);
}

function reachedTicks(run: RunState): RunEnd | undefined {
  const { maxTicks = defaultMaxTicks } = run.options;
  if (run.ticks < maxTicks) return undefined;
  return {
    status: 'max-ticks',
    reason: `The run reached its limit of ${maxTicks} ${maxTicks === 1 ? 'tick' : 'ticks'}.`,
  };
}
