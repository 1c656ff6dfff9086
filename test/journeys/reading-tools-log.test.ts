import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/agents/define-agent.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { ownerCaller } from '../../src/callers/callers.ts';
import { createHub, type Hub } from '../../src/hub.ts';
import { openDatabase } from '../../src/store/open-store.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { newTestDatabase, type TestDatabase, usualDatabaseKinds } from '../support/databases/test-database.ts';
import { readDecisions } from '../support/databases/test-decision.ts';

const callerScript = fileURLToPath(new URL('../support/team/reading-caller.ts', import.meta.url));

describe.each(usualDatabaseKinds)('the log of tools that only read, in %s', (kind) => {
  let database: TestDatabase;
  let hub: Hub;
  /** The entries in the log when foreign code ran. */
  let seenByCode: string[];

  async function entries(): Promise<string[]> {
    const opened = await openDatabase(database.db, silentLogger);
    const found = await opened.read((db) => readDecisions(db));
    await opened.close();
    return found.map((entry) => `${entry.kind} ${entry.tool}`);
  }

  async function groups(): Promise<number> {
    const opened = await openDatabase(database.db, silentLogger);
    const rows = await opened.read((db) => db.selectFrom('decision_groups').select('seq').execute());
    await opened.close();
    return rows.length;
  }

  const call = (tool: string, input: object) => hub.execute({ caller: ownerCaller('mcp'), tool, input });

  beforeEach(async () => {
    database = await newTestDatabase(kind);
    seenByCode = [];
    hub = await createHub({
      db: database.db,
      watch: false,
      agents: [
        defineAgent({ name: 'wizard', systemPrompt: 'Be concise.' }),
        defineAgent({
          name: 'coded',
          resolve: async () => {
            seenByCode = await entries();
            return { system: 'Written by code.' };
          },
        }),
      ],
      tools: [
        defineTool({
          name: 'outside',
          description: 'A tool of the library that only reads.',
          annotations: { readOnlyHint: true, openWorldHint: false },
          input: z.strictObject({}),
          run: async () => {
            seenByCode = await entries();
            return {};
          },
        }),
      ],
    });
  });
  afterEach(async () => {
    await hub.close();
    await database.remove();
  });

  it('holds both entries of a call in one commit when the reply arrives', async () => {
    expect(await call('agent_zoo_inject', { agentId: 'wizard' })).toMatchObject({ ok: true });
    expect(await entries()).toEqual(['invocation agent_zoo_inject', 'result agent_zoo_inject']);
    expect(await groups()).toBe(1);
  });

  it.each([
    ['an agent whose prompt is made by code', 'agent_zoo_inject', { agentId: 'coded' }],
    ['a tool written by someone else', 'outside', {}],
  ])('holds the invocation before %s runs', async (_, tool, input) => {
    expect(await call(tool, input)).toMatchObject({ ok: true });
    expect(seenByCode).toEqual([`invocation ${tool}`]);
    expect(await entries()).toEqual([`invocation ${tool}`, `result ${tool}`]);
  });

  it('holds both entries of every answered call after kill -9', async () => {
    const child = spawn(process.execPath, [callerScript, JSON.stringify(database.db)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    let said = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      said += chunk;
      if (said.split('\n').length > 300) child.kill('SIGKILL');
    }
    expect(await exited).toEqual([null, 'SIGKILL']);
    const answered = said.split('\n').slice(0, -1);
    const opened = await openDatabase(database.db, silentLogger);
    const found = await opened.read((db) => readDecisions(db));
    await opened.close();
    const kinds = Map.groupBy(found, (entry) => entry.callId);
    const lacking = answered.filter(
      (id) =>
        kinds
          .get(id)
          ?.map((entry) => entry.kind)
          .join() !== 'invocation,result',
    );
    expect(lacking).toEqual([]);
    expect((await hub.store.decisions.verify()).problems).toEqual([]);
  });
});
