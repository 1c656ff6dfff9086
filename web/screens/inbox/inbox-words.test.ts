import { expect, it } from 'vitest';
import type { InboxItem } from '../../../src/inbox/inbox.ts';
import { shownItems } from './inbox-words.ts';

const common = { why: '', since: 0, urgency: 'normal', link: '/' } as const;
const mail: InboxItem = {
  ...common,
  kind: 'mail',
  id: 'mail:1',
  title: 'A question',
  settle: { threadId: '1', mailId: '1', canReply: true },
};
const failure: InboxItem = {
  ...common,
  kind: 'failure',
  id: 'run:1',
  title: 'Ada: run failed',
  settle: { what: 'run', runId: '1', canRetry: true, isModelAtFault: false },
};

it('an open mail stays in its place after it was read, until it is closed', () => {
  const older = { ...failure, since: 1 };
  const newer = { ...failure, id: 'run:2', since: 3 };
  const read = { ...mail, since: 2 };
  expect(shownItems([newer, older], read, '')).toEqual([newer, read, older]);
  expect(shownItems([failure], undefined, '')).toEqual([failure]);
  expect(shownItems([mail], mail, '')).toEqual([mail]);
});

it('a settled item of another kind leaves at once', () => {
  expect(shownItems([mail], failure, '')).toEqual([mail]);
});

it('a filter shows one kind', () => {
  expect(shownItems([mail, failure], undefined, 'failure')).toEqual([failure]);
});
