import type { FinishReason, Model, ModelEvent, ModelPrice, ModelRequest, Usage } from '../../../src/engine/model.ts';

/** One step of an answer: an event, a fault, or something to wait for. */
export type ScriptStep = ModelEvent | { type: 'throw'; error: unknown } | { type: 'wait'; until: Promise<unknown> };
export type ScriptedAnswer = readonly ScriptStep[] | ((request: ModelRequest) => readonly ScriptStep[]);

export interface ScriptedModel extends Model {
  /** The received requests, copied when they arrived. */
  readonly requests: ModelRequest[];
}

/** A model that answers by a script, one answer per request. It ignores its signal: the engine must handle aborts. */
export function scriptedModel(
  answers: readonly ScriptedAnswer[],
  options: { price?: ModelPrice | undefined } = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    provider: 'scripted',
    modelId: 'model',
    price: options.price,
    requests,
    async *stream(request) {
      const answer = answers[requests.length];
      requests.push({ ...request, messages: [...request.messages] });
      if (!answer) throw new Error(`The script has ${answers.length} answers and was asked for one more.`);
      for (const step of typeof answer === 'function' ? answer(request) : answer) {
        if (step.type === 'throw') throw step.error;
        if (step.type === 'wait') await step.until;
        else yield step;
      }
    },
  };
}

export const tokens = (inputTokens: number, outputTokens: number): Usage => ({
  inputTokens,
  outputTokens,
  cachedInputTokens: 0,
  reasoningTokens: 0,
});

export const say = (delta: string): ModelEvent => ({ type: 'text', delta });

export const call = (id: string, name: string, input: unknown = {}): ModelEvent => ({
  type: 'tool-call',
  id,
  name,
  input,
});

export const finish = (reason: FinishReason = 'stop', usage: Usage = tokens(10, 5)): ModelEvent => ({
  type: 'finish',
  reason,
  usage,
});
