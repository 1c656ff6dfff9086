import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { databaseKinds } from '../../../test/support/databases/test-database.ts';
import { nextChange, openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import type { Change } from '../../db/change-bus.ts';

describe.each(databaseKinds)('the MCP clients in %s', (kind) => {
  let stores: TestStores;
  beforeEach(async () => {
    stores = await openTestStores(kind);
  });
  afterEach(() => stores.remove());

  const note = (name: string, version = '1') =>
    stores.store.clients.note({ name, version, agentId: null }, async () => 12);
  const names = async () => (await stores.other.clients.list()).map(({ name }) => name);

  it('are remembered with their last handshake, the latest first, and every process hears of them', async () => {
    const { store, other, clock } = stores;
    const heard = nextChange<Change>((listener) => other.changes.on(listener));
    note('cursor-vscode', '1.0');
    expect(await heard).toMatchObject({ topic: 'clients' });
    clock.time += 60_000;
    note('cursor-vscode', '1.1');
    clock.time += 1;
    store.clients.note({ name: 'claude-code', version: '2', agentId: 'ada' }, async () => 3);
    await vi.waitFor(async () =>
      expect(await other.clients.list()).toEqual([
        { name: 'claude-code', version: '2', agentId: 'ada', tools: 3, at: clock.time },
        { name: 'cursor-vscode', version: '1.1', agentId: null, tools: 12, at: clock.time - 1 },
      ]),
    );
  });

  it('are written once a minute, and not at all without a visible name', async () => {
    const { store, clock } = stores;
    const count = vi.fn(async () => 1);
    const again = () => store.clients.note({ name: 'a\u202eb\n', version: '1', agentId: null }, count);
    again();
    again();
    clock.time += 59_999;
    again();
    store.clients.note({ name: ' \u0000\u200b ', version: '1', agentId: null }, count);
    await vi.waitFor(async () => expect(await names()).toEqual(['a b']));
    expect(count).toHaveBeenCalledTimes(1);
    clock.time += 1;
    again();
    expect(count).toHaveBeenCalledTimes(2);
  });

  it('stay few, whatever names strangers send', async () => {
    const { clock } = stores;
    for (let minute = 0; minute < 4; minute += 1) {
      for (let number = 0; number < 40; number += 1) {
        clock.time += 1;
        note(`client ${minute}-${number}`);
      }
      await vi.waitFor(async () => expect(await names()).toContain(`client ${minute}-19`));
      clock.time += 60_000;
    }
    const kept = await names();
    expect(kept.length).toBeLessThanOrEqual(50);
    expect(kept[0]).toBe('client 3-19');
    expect(kept).not.toContain('client 0-0');
  });

  it('the first call counts for all processes', async () => {
    const { store, other, clock } = stores;
    expect(await store.clients.firstCallAt()).toBeNull();
    const first = clock.time;
    store.clients.noteCall();
    await vi.waitFor(async () => expect(await other.clients.firstCallAt()).toBe(first));
    clock.time += 5;
    other.clients.noteCall();
    store.clients.noteCall();
    expect(await store.clients.firstCallAt()).toBe(first);
  });
});
