import { TaskState } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import type { ChatEvent, ChatEventBody } from '../chats/chat.ts';
import { addEvent, emptyTranscript } from '../chats/transcript.ts';
import { noUsage } from '../engine/usage.ts';
import { type KnownTask, readTaskId, stateOf, toTask, toTaskId, withAnswerInStatus } from './task.ts';

const runId = 'run_1';
const started: ChatEventBody[] = [
  { type: 'message.sent', messageId: 'msg_1', text: 'Pay the bill.' },
  { type: 'answer.started', runId, messageId: 'msg_1', agentId: 'clerk', model: 'p/m' },
  { type: 'tick.started', runId, tick: 1 },
];
const awaitingApproval: ChatEventBody[] = [
  ...started,
  { type: 'text', runId, delta: 'I will pay.' },
  { type: 'reasoning', runId, delta: 'Secretly I doubt it.' },
  { type: 'tool.called', runId, id: 'call_1', tool: 'pay', input: { amount: 7 } },
  { type: 'approval.needed', runId, id: 'call_1', tool: 'pay', input: { amount: 7 } },
];

function finished(
  status: Extract<ChatEventBody, { type: 'answer.finished' }>['status'],
  reason = 'why',
): ChatEventBody {
  return { type: 'answer.finished', runId, status, reason, usage: noUsage, cost: null, error: null };
}

function known(bodies: readonly ChatEventBody[]): KnownTask {
  const events = bodies.map((body, index): ChatEvent => ({ ...body, seq: index + 1, at: 1_000 * (index + 1) }));
  const [turn] = events.reduce(addEvent, emptyTranscript()).turns;
  const answer = turn?.answers[0];
  if (!turn || !answer) throw new Error('The events hold no answer.');
  return { chatId: 'chat_1', contextId: 'chat_1', turn, answer, updatedAt: events.length * 1_000 };
}

describe('the state of a task', () => {
  it.each<[string, ChatEventBody[], TaskState]>([
    ['the start of an answer', started, TaskState.TASK_STATE_WORKING],
    // An older version asked the caller. The question cannot be answered here any more.
    ['a question to the user', awaitingApproval, TaskState.TASK_STATE_WORKING],
    ['a complete answer', [...started, finished('completed')], TaskState.TASK_STATE_COMPLETED],
    ['a stop', [...started, finished('aborted')], TaskState.TASK_STATE_CANCELED],
    ['a failure', [...started, finished('failed')], TaskState.TASK_STATE_FAILED],
    ['an exhausted budget', [...started, finished('budget')], TaskState.TASK_STATE_FAILED],
    ['too many ticks', [...started, finished('max-ticks')], TaskState.TASK_STATE_FAILED],
    ['a lost process', [...started, finished('interrupted')], TaskState.TASK_STATE_FAILED],
  ])('after %s', (_what, events, state) => {
    expect(stateOf(known(events))).toBe(state);
  });

  it('is not input-required when a stop left a question open', () => {
    expect(stateOf(known([...awaitingApproval, finished('aborted')]))).toBe(TaskState.TASK_STATE_CANCELED);
  });
});

describe('a task', () => {
  it('joins the texts of all ticks as one answer, without reasoning', () => {
    const task = toTask(
      known([
        ...awaitingApproval,
        { type: 'approval.given', runId, id: 'call_1', answer: 'approve' },
        { type: 'tick.started', runId, tick: 2 },
        { type: 'text', runId, delta: 'Pa' },
        { type: 'text', runId, delta: 'id.' },
        finished('completed'),
      ]),
    );
    expect(task.artifacts.map(({ parts }) => parts.map(({ content }) => content?.value))).toEqual([
      ['I will pay.\n\nPaid.'],
    ]);
    expect(JSON.stringify(task)).not.toContain('Secretly');
    expect(task.history.map(({ messageId, parts }) => [messageId, parts[0]?.content?.value])).toEqual([
      ['msg_1', 'Pay the bill.'],
    ]);
    expect(task.status).toEqual({
      state: TaskState.TASK_STATE_COMPLETED,
      message: undefined,
      timestamp: new Date(12_000).toISOString(),
    });
  });

  it('has the answer in its status for callers of 0.3, and only once for others', () => {
    const task = toTask(known([...started, { type: 'text', runId, delta: 'Paid.' }, finished('completed')]));
    expect(task.status?.message).toBeUndefined();
    const shown = withAnswerInStatus(task);
    expect(shown.status?.message?.parts.map(({ content }) => content?.value)).toEqual(['Paid.']);
    expect(shown.artifacts).toEqual(task.artifacts);
    const failed = toTask(known([...started, finished('failed', 'No key.')]));
    expect(withAnswerInStatus(failed)).toBe(failed);
  });

  it('that failed states the reason', () => {
    const { status } = toTask(known([...started, finished('budget', 'The budget of 10 tokens is used up.')]));
    expect(status?.message?.parts[0]?.content?.value).toBe('The budget of 10 tokens is used up.');
  });

  it('has an id that contains its chat and run', () => {
    expect(readTaskId(toTaskId('chat_1', 'run_1'))).toEqual({ chatId: 'chat_1', runId: 'run_1' });
    for (const id of ['', 'chat_1', '.', 'chat_1.', '.run_1', 'a.b.c']) expect(readTaskId(id)).toBeUndefined();
  });
});
