import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../support/databases/test-database.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

describe.each(databaseKinds)('the same answers on %s', (kind) => {
  let database: TestDatabase;
  let zoo: TestHub;
  beforeAll(async () => {
    database = await newTestDatabase(kind, { isEmpty: true });
    zoo = await serveTestHub({ db: database.db });
    await zoo.call('POST', '/api/agents', { body: { name: 'Tiger' } });
  });
  afterAll(async () => {
    await zoo.end();
    await database.remove();
  });

  it.each([
    ['GET', '/api/agents/a%00b/versions', 404],
    ['GET', '/api/agents/a%00b/versions/1', 404],
    ['POST', '/api/agents/a%00b/undelete', 404],
    ['GET', '/api/agents/tiger/brain/a%00b', 404],
    ['DELETE', '/api/agents/tiger/brain/a%00b', 404],
    ['POST', '/tools/a%00b', 404],
    ['GET', '/api/agents/tiger/versions/2147483648', 404],
    ['GET', '/api/agents/tiger/versions/999999999999999', 404],
    ['POST', '/api/agents/tiger/versions/999999999999999/restore', 404],
    ['GET', '/api/agents/tiger/versions?before=9007199254740991', 200],
  ])('%s %s is %d', async (method, path, status) => {
    const answer = await zoo.call(method, path);
    expect([answer.status, answer.text]).toEqual([status, expect.not.stringContaining('Internal')]);
    expect(zoo.logged).toEqual([]);
  });

  it('tools refuse an entry id with NUL', async () => {
    const input = { agentId: 'tiger', entryId: 'a\0b' };
    const answer = await zoo.call('POST', '/tools/agent_zoo_delete_brain_entry', { body: input });
    expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringMatching(/entryId: .*NUL/)]);
  });

  it('twenty callers that create an agent of the same name at once get one each', async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, () => zoo.call('POST', '/api/agents', { body: { name: 'Crowd' } })),
    );
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(20);
  });

  it('if twenty callers change the same version, one wins, and the others get the new version', async () => {
    const changes = await Promise.all(
      Array.from({ length: 20 }, (_, number) =>
        zoo.call('PUT', '/api/agents/tiger', { body: { name: `Tiger ${number}` }, headers: { 'if-match': '"1"' } }),
      ),
    );
    const winner = changes.find(({ status }) => status === 200);
    const losers = changes.filter(({ status }) => status === 409);
    expect(losers).toHaveLength(19);
    for (const { body } of losers) expect(body.error.details.current.name).toBe(winner?.body.name);
  });

  it('an id that is taken is reported with the agent that has it', async () => {
    const copies = await Promise.all(
      [1, 2].map(() => zoo.call('POST', '/api/agents', { body: { id: 'wanted', name: 'W' } })),
    );
    expect(copies.map(({ status }) => status).sort()).toEqual([201, 409]);
    const again = await zoo.call('POST', '/api/agents/tiger/undelete');
    expect(again.status).toBe(409);
    for (const { status, body } of copies) {
      if (status === 409) expect(body.error.details).not.toHaveProperty('current.agent');
    }
  });
});
