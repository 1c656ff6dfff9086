import { TaskState } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import type { ChatEvent, ChatEventBody } from '../chats/chat.ts';
import { addEvent, emptyTranscript } from '../chats/transcript.ts';
import { noUsage } from '../engine/usage.ts';
import { type KnownTask, readTaskId, stateOf, toTask, toTaskId } from './task.ts';

const runId = 'run_1';
const begun: ChatEventBody[] = [
  { type: 'message.sent', messageId: 'msg_1', text: 'Pay the bill.' },
  { type: 'answer.started', runId, messageId: 'msg_1', agentId: 'clerk', model: 'p/m' },
  { type: 'tick.started', runId, tick: 1 },
];
const asked: ChatEventBody[] = [
  ...begun,
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

function known(bodies: readonly ChatEventBody[], answered?: number): KnownTask {
  const events = bodies.map((body, index): ChatEvent => ({ ...body, seq: index + 1, at: 1_000 * (index + 1) }));
  const [turn] = events.reduce(addEvent, emptyTranscript()).turns;
  const answer = turn?.answers[0];
  if (!turn || !answer) throw new Error('The events hold no answer.');
  return { contextId: 'chat_1', turn, answer, updatedAt: events.length * 1_000, answered };
}

describe('the state of a task', () => {
  it.each<[string, ChatEventBody[], TaskState]>([
    ['an answer under way', begun, TaskState.TASK_STATE_WORKING],
    ['a question to a person', asked, TaskState.TASK_STATE_INPUT_REQUIRED],
    ['an answer', [...begun, finished('completed')], TaskState.TASK_STATE_COMPLETED],
    ['a stop', [...begun, finished('aborted')], TaskState.TASK_STATE_CANCELED],
    ['a failure', [...begun, finished('failed')], TaskState.TASK_STATE_FAILED],
    ['a budget that is used up', [...begun, finished('budget')], TaskState.TASK_STATE_FAILED],
    ['too many ticks', [...begun, finished('max-ticks')], TaskState.TASK_STATE_FAILED],
    ['a process that is gone', [...begun, finished('interrupted')], TaskState.TASK_STATE_FAILED],
  ])('after %s', (_what, events, state) => {
    expect(stateOf(known(events))).toBe(state);
  });

  it('is working as soon as the question is answered, before the chat shows it', () => {
    const answeredPlace = known(asked).answer.parts.findIndex(({ type }) => type === 'call');
    expect(stateOf(known(asked, answeredPlace))).toBe(TaskState.TASK_STATE_WORKING);
    expect(stateOf(known(asked, answeredPlace - 1))).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  });

  it('of a question that a stop left open is not input-required', () => {
    expect(stateOf(known([...asked, finished('aborted')]))).toBe(TaskState.TASK_STATE_CANCELED);
  });
});

describe('a task', () => {
  it('asks for approval with tool, input and how to answer', () => {
    const { status } = toTask(known(asked));
    const [text, data] = status?.message?.parts ?? [];
    expect(text?.content).toMatchObject({
      $case: 'text',
      value: expect.stringMatching(/tool "pay".*"amount": 7.*"approve".*"always".*"deny".*call_1/s),
    });
    expect(data?.content).toEqual({
      $case: 'data',
      value: {
        approval: { toolUseId: 'call_1', tool: 'pay', input: { amount: 7 }, answers: ['approve', 'always', 'deny'] },
      },
    });
  });

  it('joins the texts of all ticks as one answer, without reasoning', () => {
    const task = toTask(
      known([
        ...asked,
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

  it('that failed has the reason', () => {
    const { status } = toTask(known([...begun, finished('budget', 'The budget of 10 tokens is used up.')]));
    expect(status?.message?.parts[0]?.content?.value).toBe('The budget of 10 tokens is used up.');
  });

  it('is found by an id that contains its location', () => {
    expect(readTaskId(toTaskId('chat_1', 'run_1'))).toEqual({ contextId: 'chat_1', runId: 'run_1' });
    for (const id of ['', 'chat_1', '.', 'chat_1.', '.run_1', 'a.b.c']) expect(readTaskId(id)).toBeUndefined();
  });
});
