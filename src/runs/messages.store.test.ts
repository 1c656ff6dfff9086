import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestStores, type TestStores } from '../../test/support/databases/test-store.ts';
import { silentLogger } from '../base/logger.ts';
import type { Database } from '../db/database.ts';
import { openDatabase } from '../store/open-store.ts';
import { deleteUnused, lockDeletion } from './messages.store.ts';

let stores: TestStores;
let database: Database;
beforeEach(async () => {
  stores = await openTestStores('postgres');
  database = await openDatabase(stores.db, silentLogger);
});
afterEach(async () => {
  await database.close();
  await stores.remove();
});

it('when a chat and its last run are deleted at the same time, the second deletion removes the messages', async () => {
  const { chats, runs } = stores.store;
  const chat = { agentId: 'a', title: '', model: null, origin: { kind: 'chat' as const }, arguments: {} };
  await chats.create({ id: 'chat', ...chat });
  const begun = { lastSeq: 0, messageId: 'm', text: 'Who?', runId: 'run', agentId: 'a', model: 'm', title: 't' };
  await chats.begin('chat', begun);
  await runs.begin({ id: 'run', agentId: 'a', model: 'm', title: 't', messages: [], chatId: 'chat' });

  const hasDeleted = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const first = database.write(async ({ db }) => {
    await lockDeletion({ db, dialect: database.dialect });
    await db.deleteFrom('runs').where('id', '=', 'run').execute();
    await deleteUnused({ db, dialect: database.dialect }, ['chat']);
    hasDeleted.resolve();
    await mayEnd.promise;
  });
  await hasDeleted.promise;
  const second = chats.remove('chat');
  let isOver = false;
  void second.then(() => {
    isOver = true;
  });
  while (!isOver && !(await isSomebodyWaiting())) await new Promise((resolve) => setImmediate(resolve));
  mayEnd.resolve();
  await Promise.all([first, second]);
  expect(await database.read((db) => db.selectFrom('messages').selectAll().execute())).toEqual([]);
});

async function isSomebodyWaiting(): Promise<boolean> {
  const { rows } = await database.read((db) => sql`select 1 from pg_locks where not granted`.execute(db));
  return rows.length > 0;
}
