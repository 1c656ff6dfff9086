import { HubError } from '../base/hub-error.ts';
import { linkedIn } from '../chats/attachments/attachment-blocks.ts';
import type { Chats, CopiedAnswer } from '../chats/chats.ts';
import { questionIn } from '../chats/fork-chat.ts';
import type { RunStep } from '../engine/run-store.ts';
import { noUsage } from '../engine/usage.ts';
import { removed } from '../tools/redact/redact.ts';
import type { AnsweredRun, RunMessage, StoredRunHistory } from './runs.ts';
import { calledIn, spentIn } from './spent.ts';

interface ForkParts {
  runs: Pick<StoredRunHistory, 'get' | 'step' | 'conversation' | 'answered'>;
  chats: Pick<Chats, 'fork'>;
}

const goOn = 'Continue from here.';

/** Starts a new chat with the conversation of a run up to a step. Without a step, the run's question is asked again. */
export async function forkRun(
  { runs, chats }: ForkParts,
  id: string,
  { step: number, message }: { step?: number | undefined; message?: string | undefined },
): Promise<{ chatId: string; runId: string }> {
  const run = await runs.get(id);
  if (run.agentId === null)
    throw new HubError(
      'INVALID_ARGUMENTS',
      `The run "${id}" belongs to no agent of this hub, so it cannot be repeated here. Start a new run instead.`,
    );
  refuseRemoved(id, run.arguments);
  const conversation = await runs.conversation(id);
  const step = number === undefined ? undefined : await modelStep(runs, { id, number });
  const sent = step ? conversation.slice(0, step.messages) : upToQuestion(conversation);
  const question = sent.findLastIndex(({ message }) => message.role === 'user');
  const asked = sent[question];
  if (!asked) throw new HubError('INVALID_ARGUMENTS', `The run "${id}" has no question to ask again.`);
  const isQuestion = question === sent.length - 1;
  const files = isQuestion ? linkedIn(asked.message) : [];
  if (files.length > 0 && run.chatId === null && message === undefined)
    throw new HubError(
      'INVALID_ARGUMENTS',
      `The files that the run "${id}" was asked about were deleted with its chat. Attach them in a new chat.`,
    );
  // The new chat makes the agent's prompt itself.
  const history = sent.slice(0, isQuestion ? question : sent.length).filter(({ isPrompt }) => !isPrompt);
  const answered = await runs.answered(history.map(({ runId }) => runId));
  return chats.fork({
    from: run.chatId,
    agentId: run.agentId,
    // Of runs that an earlier version stored, only the chat knows them.
    arguments: Object.keys(run.arguments).length > 0 ? run.arguments : undefined,
    model: run.model,
    title: run.title === '' ? undefined : run.title.slice(0, 200),
    history,
    answers: new Map(
      [...answered].map(([runId, each]) => [runId, step && runId === id ? answerBefore(step, each) : answerOf(each)]),
    ),
    outside: run.outside,
    text: message ?? (isQuestion ? questionIn(asked.message) : goOn),
    attachments: run.chatId === null ? [] : files.map(({ name, hash }) => ({ name, hash })),
  });
}

/** Refuses to send what replaced a secret as if it were the value of an argument. */
function refuseRemoved(id: string, given: Readonly<Record<string, string>>): void {
  const [name] = Object.entries(given).find(([, value]) => value.includes(removed)) ?? [];
  if (name === undefined) return;
  throw new HubError(
    'INVALID_ARGUMENTS',
    `The run "${id}" cannot be repeated: its argument "${name}" looked like a secret, so it was not stored. Start a new run of the agent with this argument.`,
  );
}

/** Leaves out the answer. */
function upToQuestion(conversation: readonly RunMessage[]): readonly RunMessage[] {
  return conversation.slice(0, conversation.findLastIndex(({ message }) => message.role === 'user') + 1);
}

type ModelStep = Extract<RunStep, { kind: 'model' }>;

async function modelStep(runs: ForkParts['runs'], { id, number }: { id: string; number: number }): Promise<ModelStep> {
  const { step } = await runs.step(id, number);
  if (step.kind === 'model') return step;
  throw new HubError('INVALID_ARGUMENTS', `Step ${number} is a call to ${step.tool}. Fork from a model call.`);
}

function answerOf({ agentId, model, startedAt, finishedAt, steps, ...end }: AnsweredRun): CopiedAnswer {
  const { status, reason, error, usage, cost } = end;
  const calls = steps.flatMap((step) =>
    step.kind === 'tool' ? [{ id: step.id, durationMs: step.endedAt - step.startedAt }] : [],
  );
  return {
    agentId,
    model,
    startedAt,
    finishedAt,
    end: { status, reason: reason ?? '', error, usage, cost },
    calls,
  };
}

/** Returns the part of an answer that a step was sent. */
function answerBefore({ tick }: ModelStep, run: AnsweredRun): CopiedAnswer {
  const steps = run.steps.filter((step) => step.tick < tick);
  const requests = steps.flatMap((step) => (step.kind === 'model' ? [step] : []));
  return answerOf({
    ...run,
    status: 'completed',
    reason: 'Copied from another conversation.',
    error: null,
    finishedAt: steps.reduce((latest, { endedAt }) => Math.max(latest, endedAt), run.startedAt),
    ...spentIn([...requests.map(({ usage, cost }) => ({ usage: usage ?? noUsage, cost })), ...calledIn(steps)]),
    steps,
  });
}
