import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../test/support/databases/test-store.ts';

describe.each(databaseKinds)('approvals for a chat in %s', (kind) => {
  let stores: TestStores;
  const send = { agentId: 'clerk', tool: 'send', definition: 'one', isAfterReading: false };
  const afterReading = { ...send, isAfterReading: true };
  beforeAll(async () => {
    stores = await openTestStores(kind);
  });
  afterAll(() => stores.remove());

  async function newChat(id: string): Promise<string> {
    const chat = { agentId: 'clerk', title: '', model: null, origin: { kind: 'chat' as const }, arguments: {} };
    await stores.store.chats.create({ id, ...chat });
    return id;
  }

  it('hold for one chat, agent, tool and definition, in every process, until they are removed', async () => {
    const { store, other, clock } = stores;
    const id = await newChat('first');
    await newChat('second');
    await store.chatGrants.add(id, send);
    expect(await other.chatGrants.has(id, send)).toBe(true);
    expect(await other.chatGrants.has('second', send)).toBe(false);
    for (const changed of [{ agentId: 'baker' }, { tool: 'wipe' }, { definition: 'two' }, { isAfterReading: true }])
      expect(await other.chatGrants.has(id, { ...send, ...changed })).toBe(false);
    expect(await other.chatGrants.list(id)).toEqual([{ tool: 'send', grantedAt: clock.time }]);
    expect(await other.chatGrants.remove(id, 'send')).toBe(true);
    expect(await store.chatGrants.remove(id, 'send')).toBe(false);
    expect(await store.chatGrants.has(id, send)).toBe(false);
  });

  it('count after reading if one was given then, for the same definition', async () => {
    const { store, other } = stores;
    const id = await newChat('reading');
    await store.chatGrants.add(id, afterReading);
    await other.chatGrants.add(id, send);
    expect(await store.chatGrants.has(id, afterReading)).toBe(true);
    await store.chatGrants.add(id, { ...send, definition: 'two' });
    expect(await other.chatGrants.has(id, { ...afterReading, definition: 'two' })).toBe(false);
    expect(await other.chatGrants.has(id, send)).toBe(false);
  });

  it('end with the chat, and when it gets another agent', async () => {
    const { store, other } = stores;
    const id = await newChat('ending');
    const switchTo = (agentId: string) => other.chats.switchTo(id, { agentId, model: null, arguments: {} });
    await store.chatGrants.add(id, send);
    await switchTo('clerk');
    expect(await store.chatGrants.has(id, send)).toBe(true);
    await switchTo('baker');
    await switchTo('clerk');
    expect(await store.chatGrants.has(id, send)).toBe(false);
    await store.chatGrants.add(id, send);
    await other.chats.remove(id);
    expect(await store.chatGrants.list(id)).toEqual([]);
    await store.chatGrants.add(id, send);
    expect(await store.chatGrants.list(id)).toEqual([]);
  });
});
