import { QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { createQueryClient } from './queries.ts';
import { refetchChanged, refetchLost } from './refetch-changed.ts';

/** A query whose replies come when told. */
function openScreen() {
  const client = createQueryClient();
  const requests: { reply: (data: string) => void; fail: (error: Error) => void }[] = [];
  const observer = new QueryObserver(client, {
    queryKey: ['members'],
    queryFn: () => {
      const { promise, resolve: reply, reject: fail } = Promise.withResolvers<string>();
      requests.push({ reply, fail });
      return promise;
    },
    retry: false,
  });
  observer.subscribe(() => {});
  const request = (number: number) => expect.poll(() => requests.length).toBe(number);
  return { client, requests, request, shown: () => observer.getCurrentResult() };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

it('a change during the first load is shown, although the reply may be older', async () => {
  const { client, requests, request, shown } = openScreen();
  refetchChanged(client, { queryKey: ['members'] });
  refetchChanged(client);
  requests[0]?.reply('before');
  await request(2);
  requests[1]?.reply('after');
  await expect.poll(() => shown().data).toBe('after');
  await settled();
  expect(requests).toHaveLength(2);
});

it('changes that come faster than replies do not keep a screen from being updated', async () => {
  const { client, requests, request, shown } = openScreen();
  requests[0]?.reply('0');
  await expect.poll(() => shown().data).toBe('0');
  refetchChanged(client);
  for (const number of [1, 2, 3]) {
    await request(number + 1);
    refetchChanged(client);
    requests[number]?.reply(String(number));
    await expect.poll(() => shown().data).toBe(String(number));
  }
});

it('a first load that fails after a change is left to the user', async () => {
  const { client, requests, shown } = openScreen();
  refetchChanged(client);
  requests[0]?.fail(new Error('The disk is full.'));
  await expect.poll(() => shown().status).toBe('error');
  await settled();
  expect(requests).toHaveLength(1);
});

it('after a lost connection, a request without a reply is sent again', async () => {
  const { client, requests, request, shown } = openScreen();
  void refetchLost(client);
  await request(2);
  requests[1]?.reply('first');
  await expect.poll(() => shown().data).toBe('first');
  refetchChanged(client);
  await request(3);
  void refetchLost(client);
  await request(4);
  requests[3]?.reply('later');
  await expect.poll(() => shown().data).toBe('later');
});
