import { describe, expect, it } from 'vitest';
import type { ChatEvent, ChatEventBody } from '../../../src/chats/chat.ts';
import { addEvent, emptyTranscript, type Transcript } from '../../../src/chats/transcript.ts';
import { currentState, summaryKey, waitingCall } from './chat-state.ts';

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
const started: ChatEventBody[] = [
  { type: 'message.sent', messageId: 'm1', text: 'Hi' },
  { type: 'answer.started', runId: 'r1', messageId: 'm1', agentId: 'a', model: 'x/y' },
];
const calls: ChatEventBody[] = ['one', 'two'].flatMap((id): ChatEventBody[] => [
  { type: 'tool.called', runId: 'r1', id, tool: 't', input: {} },
  { type: 'approval.needed', runId: 'r1', id, tool: 't', input: {} },
]);
const end = (status: 'completed' | 'interrupted'): ChatEventBody => ({
  type: 'answer.finished',
  runId: 'r1',
  status,
  reason: '',
  usage,
  cost: null,
  error: null,
});

function transcriptOf(bodies: readonly ChatEventBody[]): Transcript {
  return bodies.reduce(
    (before, body, index) => addEvent(before, { seq: index + 1, at: 0, ...body } as ChatEvent),
    emptyTranscript(),
  );
}

describe('the state of an open chat', () => {
  it.each([
    ['there are no messages', [], 'answering', 'idle'],
    ['a message was stored', started.slice(0, 1), 'answering', 'answering'],
    ['a message was stored and its process ended', started.slice(0, 1), 'interrupted', 'interrupted'],
    ['the answer has started', started, 'idle', 'answering'],
    ['a call is waiting', [...started, ...calls], 'answering', 'waiting'],
    ['its process ended', [...started, ...calls], 'interrupted', 'interrupted'],
    ['the answer is complete', [...started, end('completed')], 'answering', 'idle'],
    ['the answer was interrupted', [...started, end('interrupted')], 'idle', 'interrupted'],
  ] as const)('when %s', (_, bodies, listed, state) => {
    expect(currentState({ state: listed, lastSeq: bodies.length }, transcriptOf(bodies))).toBe(state);
  });

  it.each([
    ['a message was stored', started.slice(0, 1), 'idle'],
    ['a message was stored after an interruption', started.slice(0, 1), 'interrupted'],
    ['the answer has started again', started, 'interrupted'],
  ] as const)('ignores an outdated summary: %s', (_, bodies, listed) => {
    expect(currentState({ state: listed, lastSeq: 0 }, transcriptOf(bodies))).toBe('answering');
  });

  it('returns waiting calls in order', () => {
    expect(waitingCall(transcriptOf([...started, ...calls]))?.id).toBe('one');
    const denial: ChatEventBody = { type: 'approval.given', runId: 'r1', id: 'one', answer: 'deny' };
    expect(waitingCall(transcriptOf([...started, ...calls, denial]))?.id).toBe('two');
    expect(waitingCall(transcriptOf([...started, ...calls, end('interrupted')]))).toBeUndefined();
  });

  it('is refetched when it may have changed, not for every word', () => {
    const before = transcriptOf(started);
    const longer = addEvent(before, { seq: 9, at: 0, type: 'text', runId: 'r1', delta: 'Hello' });
    expect(summaryKey(longer)).toBe(summaryKey(before));
    expect(summaryKey(transcriptOf([...started, ...calls]))).not.toBe(summaryKey(before));
    expect(summaryKey(transcriptOf([...started, end('completed')]))).not.toBe(summaryKey(before));
  });
});
