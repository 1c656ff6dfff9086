import { HubError } from '../base/hub-error.ts';
import { encloseResults } from '../engine/enclose-results.ts';
import { outsideRule } from '../tools/outside-text.ts';
import type { StepPrompt } from './runs.contract.ts';
import type { StoredRunHistory } from './runs.ts';

/** Rebuilds what a model call sent: the messages come from the conversation of the run. Throws INVALID_ARGUMENTS, NOT_FOUND. */
export async function readPrompt(
  runs: Pick<StoredRunHistory, 'step' | 'conversation'>,
  id: string,
  number: string,
): Promise<StepPrompt> {
  const { step, prompt } = await runs.step(id, /^\d{1,9}$/.test(number) ? Number(number) : -1);
  if (step.kind === 'tool')
    throw new HubError(
      'INVALID_ARGUMENTS',
      `Step ${step.step} is a call to ${step.tool}. Only model calls have a prompt.`,
    );
  const sent = (await runs.conversation(id)).slice(0, step.messages).map(({ message }) => message);
  const isEnclosed = prompt?.system.endsWith(outsideRule) === true;
  return {
    step,
    system: prompt?.system ?? null,
    tools: prompt === undefined ? [] : JSON.parse(prompt.tools),
    messages: isEnclosed ? sent.map(encloseResults) : sent,
  };
}
