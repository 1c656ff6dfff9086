import { untilAborted } from '../base/abort.ts';
import { HubError } from '../base/hub-error.ts';
import { enclose, outsideRule } from '../tools/outside-text.ts';
import { AnswerDraft } from './answer-draft.ts';
import type { Message, ToolResultBlock } from './message.ts';
import { pairResults } from './pair-results.ts';
import type { RunSpans } from './run-spans.ts';
import type { RunState } from './run-state.ts';

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

async function askOnce(run: RunState, spans: RunSpans): Promise<AnswerDraft> {
  const draft = new AnswerDraft();
  const span = spans.startChat(run.model);
  let isOver = false;
  const read = async () => {
    const { com, model, options, signal } = run;
    const events = model.stream({
      ...(run.outside.isEmpty
        ? { system: com.system, messages: pairResults(com.messages) }
        : { system: withRule(com.system), messages: pairResults(com.messages.map(encloseResults)) }),
      tools: com.definitions,
      settings: options.settings ?? {},
      signal,
      ...(span.traceparent !== '' && { headers: { traceparent: span.traceparent } }),
    });
    for await (const event of events) {
      if (isOver) return;
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
  spans.endChat(span, draft.finish, draft.error?.code);
  return draft;
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

/** Messages never change, and every tick sends all of them again. */
const enclosed = new WeakMap<Message, Message>();

/** Puts results with text from outside into their envelopes. */
function encloseResults(message: Message): Message {
  if (message.role !== 'tool') return message;
  const known = enclosed.get(message);
  if (known) return known;
  const content = message.content.map((block) => (block.type === 'tool_result' ? encloseResult(block) : block));
  const result = { ...message, content };
  enclosed.set(message, result);
  return result;
}

function encloseResult(block: ToolResultBlock): ToolResultBlock {
  const { outside, content, structuredContent } = block;
  if (!outside) return block;
  const isData = content.length === 0 && structuredContent !== undefined;
  const shown = isData ? [{ type: 'text' as const, text: JSON.stringify(structuredContent) }] : content;
  return { ...block, content: enclose(shown, outside) };
}
