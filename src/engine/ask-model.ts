import { untilAborted } from '../base/abort.ts';
import { HubError } from '../base/hub-error.ts';
import { outsideRule } from '../tools/outside-text.ts';
import { AnswerDraft } from './answer-draft.ts';
import { encloseResults } from './enclose-results.ts';
import { pairResults } from './pair-results.ts';
import type { RunSpans } from './run-spans.ts';
import type { RunState } from './run-state.ts';
import type { SentPrompt } from './run-store.ts';
import { costOf } from './usage.ts';

const maxRepeats = 2;

/**
 * Returns the model's answer to the conversation. If the answer is cut off, asks again: none of its calls has run yet. If that does not
 * help, or if the run is aborted, returns the partial answer with `error`.
 */
export async function askModel(run: RunState, spans: RunSpans): Promise<AnswerDraft> {
  let best: AnswerDraft | undefined;
  for (let attempt = 0; ; attempt += 1) {
    const draft = await askOnce(run, spans);
    if (!draft.error) return draft;
    if (!best || draft.text !== '') best = draft;
    if (run.signal.aborted || attempt === maxRepeats || !draft.isCut || run.purse.spent() !== undefined) {
      best.error = draft.error;
      return best;
    }
    run.emit({ type: 'tick.retried', tick: run.ticks, reason: draft.error.message });
  }
}

/** The one place where model calls begin. */
async function askOnce(run: RunState, spans: RunSpans): Promise<AnswerDraft> {
  const draft = new AnswerDraft();
  const refusal = run.options.meter?.refusal(run.model);
  draft.refusal = refusal instanceof Promise ? await refusal : refusal;
  if (draft.refusal !== undefined) return draft;
  const span = spans.startChat(run.model);
  const { com, clock } = run;
  const prompt = { system: run.outside.isEmpty ? com.system : withRule(com.system), tools: com.definitions };
  const sent = { prompt, messages: com.messages.length, startedAt: clock.now() };
  let firstAt: number | null = null;
  let isOver = false;
  const read = async () => {
    const { model, options, signal } = run;
    const events = model.stream({
      ...prompt,
      messages: pairResults(run.outside.isEmpty ? com.messages : com.messages.map(encloseResults)),
      settings: options.settings ?? {},
      signal,
      ...(span.traceparent !== '' && { headers: { traceparent: span.traceparent } }),
    });
    for await (const event of events) {
      if (isOver) return;
      firstAt ??= clock.now();
      draft.add(event);
      if (event.type === 'text' || event.type === 'reasoning') {
        if (event.delta !== '') run.emit({ type: event.type, delta: event.delta });
      } else if (event.type === 'finish') {
        // Pays synchronously: one event-loop turn later, another agent that shares the purse could start an answer.
        run.pay(event.usage);
        return;
      }
    }
  };
  try {
    await untilAborted(run.signal, read);
    draft.error = incompleteness(run, draft);
    draft.isCut = draft.error !== undefined;
  } catch (error) {
    draft.error = run.known(error);
    draft.isCut = draft.hasEvents && isCutError(draft.error);
  }
  isOver = true;
  noteCall(run, draft, { ...sent, firstAt });
  spans.endChat(span, draft.finish, draft.error?.code);
  return draft;
}

interface SentCall {
  prompt: SentPrompt;
  messages: number;
  startedAt: number;
  firstAt: number | null;
}

/** Records the call as a step of the run, and its usage for the budgets of the hub. */
function noteCall(run: RunState, draft: AnswerDraft, sent: SentCall): void {
  const { clock, model, options, ticks: tick } = run;
  const usage = draft.finish?.usage ?? null;
  const call = {
    model: `${model.provider}/${model.modelId}`,
    startedAt: sent.startedAt,
    endedAt: clock.now(),
    usage,
    cost: usage && costOf(usage, model.price),
    error: draft.error?.code ?? null,
  };
  options.meter?.record(call);
  run.addStep({ kind: 'model', tick, ...sent, ...call });
}

function incompleteness({ model }: RunState, draft: AnswerDraft): HubError | undefined {
  const name = `${model.provider}/${model.modelId}`;
  if (!draft.finish) return new HubError('MODEL_ERROR', `The answer of ${name} was cut off.`);
  if (draft.finish.reason !== 'error') return undefined;
  return new HubError('MODEL_ERROR', `${name} ended its answer with an error.`);
}

/** Tells whether the error interrupted an answer. Failures before the first event were already retried by the model. */
function isCutError(error: HubError): boolean {
  return error.code === 'TIMEOUT' || (error.code === 'MODEL_ERROR' && error.details?.isRetryable === true);
}

function withRule(system: string): string {
  return system === '' ? outsideRule : `${system}\n\n${outsideRule}`;
}
