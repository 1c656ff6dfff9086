import { StreamResponse } from '@a2a-js/sdk';
import { expect, it } from 'vitest';
import { ReplyCollector } from './send-message.ts';

function receive(...events: object[]): { said: (string | undefined)[]; received: ReplyCollector } {
  const received = new ReplyCollector({});
  return { said: events.map((event) => received.add(StreamResponse.fromJSON(event))), received };
}

const ids = { taskId: 't', contextId: 'c' };
const task = { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } };
const piece = (text: string, append: boolean, artifactId = 'a') => ({
  artifactUpdate: { ...ids, append, artifact: { artifactId, parts: [{ text }] } },
});
const status = (state: string, text?: string) => ({
  statusUpdate: { ...ids, status: { state, ...(text && { message: { messageId: 'm', parts: [{ text }] } }) } },
});

it('pieces are appended to earlier ones or replace them', () => {
  const done = status('TASK_STATE_COMPLETED');
  const { received } = receive(task, piece('Wrong', false), piece('One, ', false), piece('two.', true), done);
  expect(received.answer()).toEqual({ text: 'One, two.', contextId: 'c', taskId: 't', state: 'completed' });
  expect(receive(task, piece('One', false), piece('Two', false, 'b'), done).received.answer().text).toBe('One\n\nTwo');
});

it('progress messages are reported and are not part of the answer', () => {
  const working = status('TASK_STATE_WORKING', 'I look it up.');
  const { said, received } = receive(task, working, piece('Found.', false));
  expect(said).toEqual(['', 'I look it up.', undefined]);
  expect(received.isOpen).toBe(true);
  received.add(StreamResponse.fromJSON(status('TASK_STATE_COMPLETED')));
  expect([received.isOpen, received.answer().text]).toEqual([false, 'Found.']);
});

it.each([
  ['TASK_STATE_INPUT_REQUIRED', 'input-required'],
  ['TASK_STATE_FAILED', 'failed'],
  ['TASK_STATE_REJECTED', 'rejected'],
  ['TASK_STATE_AUTH_REQUIRED', 'auth-required'],
])('%s adds the reason after the partial answer', (state, word) => {
  const { received } = receive(task, piece('So far.', false), status(state, 'Because.'));
  expect(received.answer()).toMatchObject({ text: 'So far.\n\nBecause.', state: word });
  expect(received.isOpen).toBe(false);
});

it('a message without a task is the answer', () => {
  const { received } = receive({ message: { messageId: 'm', contextId: 'c', parts: [{ text: 'Hi.' }] } });
  expect(received.answer()).toEqual({ text: 'Hi.', contextId: 'c', taskId: '', state: 'completed' });
});

it('a file is named, and a very long text is cut', () => {
  const parts = [{ raw: 'aGk=', filename: 'a.txt' }];
  const { received } = receive({ message: { messageId: 'm', parts } });
  expect(received.answer().text).toBe('[file: a.txt]');
  const long = receive({ message: { messageId: 'm', parts: [{ text: 'x'.repeat(500_000) }] } }).received.answer().text;
  expect([long.length < 401_000, long.endsWith('(cut)')]).toEqual([true, true]);
});
