import { MutationObserver, onlineManager, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, it, vi } from 'vitest';
import { createQueryClient } from './queries.ts';

afterEach(() => onlineManager.setOnline(true));

it('the hub is asked while the browser has no network, because it may be on this machine', () => {
  onlineManager.setOnline(false);
  const client = createQueryClient();
  void client.fetchQuery({ queryKey: ['agents'], queryFn: () => [] });
  expect(client.getQueryState(['agents'])?.fetchStatus).toBe('fetching');
  const save = new MutationObserver(client, { mutationFn: async () => 'saved' });
  void save.mutate();
  expect(save.getCurrentResult().isPaused).toBe(false);
});

it('what could not be loaded without the network is loaded once the network is back', async () => {
  const client = createQueryClient();
  client.mount();
  onlineManager.setOnline(false);
  const queryFn = vi.fn(async () => {
    if (!onlineManager.isOnline()) throw new Error('no network');
    return 'loaded';
  });
  const shown = new QueryObserver(client, { queryKey: ['agents'], queryFn, retry: false });
  const stop = shown.subscribe(() => {});
  await expect.poll(() => shown.getCurrentResult().status).toBe('error');
  onlineManager.setOnline(true);
  await expect.poll(() => shown.getCurrentResult().data).toBe('loaded');
  stop();
  client.unmount();
});
