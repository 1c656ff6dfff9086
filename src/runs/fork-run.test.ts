import { expect, it, vi } from 'vitest';
import type { StoredRunDetail } from '../engine/run-store.ts';
import { forkRun } from './fork-run.ts';

it.each([
  [{ year: '2026' }, undefined],
  [{ year: '2026', token: '[removed]' }, 'its argument "token" looked like a secret, so it was not stored'],
  [{ header: 'Bearer [removed]' }, 'its argument "header" looked like a secret'],
])('a run with the arguments %j is repeated with them, unless a secret was removed', async (given, refusal) => {
  const run = { agentId: 'clerk', chatId: null, model: 'm', title: '', outside: [], arguments: given };
  const message = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Count.' }] };
  const fork = vi.fn(async () => ({ chatId: 'chat', runId: 'again' }));
  const parts = {
    runs: {
      // The fork reads no other fields.
      get: async () => run as unknown as StoredRunDetail,
      step: vi.fn(),
      answered: async () => new Map(),
      conversation: async () => [{ message, runId: 'run', isPrompt: false }],
    },
    chats: { fork },
  };
  const forked = forkRun(parts, 'run', {});
  if (refusal === undefined) await forked;
  else
    await expect(forked).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining(refusal),
    });
  expect(fork.mock.calls).toEqual(refusal === undefined ? [[expect.objectContaining({ arguments: given })]] : []);
});
