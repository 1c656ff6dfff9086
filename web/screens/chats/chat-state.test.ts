import { describe, expect, it } from 'vitest';
import type { ChatEvent, ChatEventBody } from '../../../src/chats/chat-event.ts';
import { addEvent, emptyTranscript, type Transcript } from '../../../src/chats/transcript.ts';
import { newsKey, stateNow, waitingCall } from './chat-state.ts';

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
const asked: ChatEventBody[] = [
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
    ['nothing was said', [], 'answering', 'idle'],
    ['a message was kept', asked.slice(0, 1), 'answering', 'answering'],
    ['a message was kept and its process ended', asked.slice(0, 1), 'interrupted', 'interrupted'],
    ['the answer has begun', asked, 'idle', 'answering'],
    ['a call waits', [...asked, ...calls], 'answering', 'waiting'],
    ['its process ended', [...asked, ...calls], 'interrupted', 'interrupted'],
    ['it was answered', [...asked, end('completed')], 'answering', 'idle'],
    ['it was interrupted', [...asked, end('interrupted')], 'idle', 'interrupted'],
  ] as const)('when %s', (_, bodies, told, state) => {
    expect(stateNow({ state: told, lastSeq: bodies.length }, transcriptOf(bodies))).toBe(state);
  });

  it.each([
    ['a message was kept', asked.slice(0, 1), 'idle'],
    ['a message was kept after an interruption', asked.slice(0, 1), 'interrupted'],
    ['the answer has begun again', asked, 'interrupted'],
  ] as const)('is not taken from what was told before: %s', (_, bodies, told) => {
    expect(stateNow({ state: told, lastSeq: 0 }, transcriptOf(bodies))).toBe('answering');
  });

  it('asks about the calls in their order', () => {
    expect(waitingCall(transcriptOf([...asked, ...calls]))?.id).toBe('one');
    const given: ChatEventBody = { type: 'approval.given', runId: 'r1', id: 'one', answer: 'deny' };
    expect(waitingCall(transcriptOf([...asked, ...calls, given]))?.id).toBe('two');
    expect(waitingCall(transcriptOf([...asked, ...calls, end('interrupted')]))).toBeUndefined();
  });

  it('is asked for again when it may be another, not with each word', () => {
    const before = transcriptOf(asked);
    const said = addEvent(before, { seq: 9, at: 0, type: 'text', runId: 'r1', delta: 'Hello' });
    expect(newsKey(said)).toBe(newsKey(before));
    expect(newsKey(transcriptOf([...asked, ...calls]))).not.toBe(newsKey(before));
    expect(newsKey(transcriptOf([...asked, end('completed')]))).not.toBe(newsKey(before));
  });
});
