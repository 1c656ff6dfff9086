import { afterEach, expect, it } from 'vitest';
import { LineClient, openMcpHub } from '../../test/support/hubs/mcp-hub.ts';
import { Deadlines } from '../base/deadlines.ts';
import type { Hub } from '../hub.ts';

let hub: Hub | undefined;
afterEach(() => hub?.close());

it('a request that does not end gets an error that says that it may be sent again', async () => {
  hub = await openMcpHub();
  const never = () => new Promise<never>(() => {});
  const stuck = {
    ...hub,
    deadlines: new Deadlines(30),
    resources: Object.assign(Object.create(hub.resources), { list: never }),
  };
  const client = new LineClient(stuck);
  await client.initialize();
  expect((await client.request('resources/list')).error).toMatchObject({
    message: 'resources/list did not finish within 0.03 s. Try again later.',
    data: { code: 'UNAVAILABLE', retryable: true },
  });
  await client.end();
});
