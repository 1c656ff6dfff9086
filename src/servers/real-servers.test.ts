import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newTestDatabase, type TestDatabase, usualDatabaseKinds } from '../../test/support/databases/test-database.ts';
import { npmServer } from '../../test/support/servers/npm-servers.ts';
import { TestConfig } from '../../test/support/servers/test-servers.ts';
import { systemClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { ownerCaller } from '../callers/callers.ts';
import { connectServer } from '../mcp-client/connection/connect-server.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { silentToolClient } from '../tools/tool-client.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { createExternalServers, type ExternalServers } from './external-servers.ts';
import { ServerDefinition, type ServerDefinitionInput } from './server-definition.ts';
import { noMemory } from './server-store.ts';

const changing = new URL('../../test/support/servers/changing-server.ts', import.meta.url).pathname;

/** External servers with real connections, as in a hub. */
class Side {
  readonly registry = new ToolRegistry();
  readonly servers: ExternalServers;

  constructor(store: Store, config: TestConfig, options: { canStartAtBoot?: boolean } = {}) {
    this.servers = createExternalServers({
      store: store.servers,
      vault: store.vault,
      registry: this.registry,
      configured: config,
      connect: connectServer,
      lookUp: () => undefined,
      clock: systemClock,
      logger: silentLogger,
      redact: (text) => text,
      canStartAtBoot: options.canStartAtBoot ?? true,
      holder: (options.canStartAtBoot ?? true) ? store.holder : null,
    });
  }

  names(): string[] {
    return this.registry.list().map(({ name }) => name);
  }

  async until(holds: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => {
      if (holds()) resolve();
    };
    const stops = [this.servers.changes.on(check), this.registry.changes.on(check)];
    check();
    await promise;
    for (const stop of stops) stop();
  }

  async call(name: string, input: object = {}): Promise<unknown> {
    return this.registry.find(name)?.run(input, {
      caller: ownerCaller('cli'),
      callId: 'call_1',
      signal: new AbortController().signal,
      traceparent: '',
      idempotencyKey: undefined,
      whenLogged: async () => {},
      client: silentToolClient,
    });
  }
}

async function directList(definition: ServerDefinitionInput) {
  const connection = await connectServer({
    name: 'direct',
    definition: ServerDefinition.parse(definition),
    signal: new AbortController().signal,
    logger: silentLogger,
    onLog: () => {},
  });
  const tools = await connection.listTools();
  await connection.close();
  return tools;
}

describe.each(usualDatabaseKinds)('real servers, with %s', (kind) => {
  let database: TestDatabase;
  let stores: { store: Store; other: Store };
  let folder: string;
  let sides: Side[];
  const config = new TestConfig();
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'zoo-servers-'));
    database = await newTestDatabase(kind);
    const open = () => openStore({ db: database.db, clock: systemClock, logger: silentLogger, dataDir: folder });
    const [store, other] = await Promise.all([open(), open()]);
    stores = { store, other };
    sides = [];
  });
  afterEach(async () => {
    await Promise.all(sides.map((side) => side.servers.close()));
    await Promise.all([stores.store.close(), stores.other.close()]);
    await database.remove();
    await rm(folder, { recursive: true, force: true });
  });
  function side(store: Store = stores.store, options: { canStartAtBoot?: boolean } = {}): Side {
    const made = new Side(store, config, options);
    sides.push(made);
    return made;
  }

  it('schemas are byte for byte what the server lists, even when read from the store', async () => {
    const programs = { everything: [npmServer('everything'), 'stdio'], filesystem: [npmServer('filesystem'), folder] };
    const one = side();
    await one.servers.refresh();
    for (const [name, args] of Object.entries(programs)) {
      await one.servers.add(name, ServerDefinition.parse({ transport: 'stdio', command: process.execPath, args }));
      await one.servers.connect(name);
    }
    await one.servers.close();
    const other = side(stores.other);
    await other.servers.refresh();
    for (const [name, args] of Object.entries(programs)) {
      const direct = await directList({ transport: 'stdio', command: process.execPath, args });
      expect(direct.length).toBeGreaterThan(5);
      for (const tool of direct) {
        const ours = other.registry.find(`mcp__${name}__${tool.name}`);
        expect(JSON.stringify(ours?.inputSchema)).toBe(JSON.stringify(tool.inputSchema));
        expect(JSON.stringify(ours?.outputSchema)).toBe(JSON.stringify(tool.outputSchema));
        expect(ours?.description).toBe(tool.description);
      }
      expect(other.servers.get(name)).toMatchObject({ state: { kind: 'idle' }, tools: { length: direct.length } });
    }
    expect(await other.call('mcp__everything__echo', { message: 'hello' })).toMatchObject({
      content: [{ type: 'text', text: expect.stringContaining('hello') }],
    });
  });

  it('a server that crashes during a call is restarted, and the call is made once', async () => {
    const one = side();
    await one.servers.refresh();
    await one.servers.add(
      'x',
      ServerDefinition.parse({ transport: 'stdio', command: process.execPath, args: [changing, folder] }),
    );
    await one.servers.connect('x');
    await expect(one.call('mcp__x__append-and-exit')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      details: { mayHaveRun: true },
    });
    // The next call waits for the server instead of failing.
    expect(await one.call('mcp__x__append')).toMatchObject({ content: [{ text: 'append' }] });
    expect(await readFile(join(folder, 'calls'), 'utf8')).toBe('append-and-exit\nappend\n');
    expect((await readFile(join(folder, 'starts'), 'utf8')).trim().split('\n')).toHaveLength(2);
    expect(one.servers.get('x').stats).toEqual({ calls: 2, errors: 1, reconnects: 1 });
  });

  it('every process sees a change, and a tool that one accepts is available in all', async () => {
    const one = side();
    const two = side(stores.other, { canStartAtBoot: false });
    await Promise.all([one.servers.refresh(), two.servers.refresh()]);
    await one.servers.add(
      'x',
      ServerDefinition.parse({ transport: 'stdio', command: process.execPath, args: [changing, folder] }),
    );
    await one.servers.connect('x');
    await two.until(() => two.names().includes('mcp__x__append'));
    await one.call('mcp__x__change');
    await one.call('mcp__x__grow');
    await one.until(() => one.servers.get('x').tools.some(({ status }) => status === 'new'));
    const statuses = (where: Side) =>
      Object.fromEntries(where.servers.get('x').tools.map(({ remoteName, status }) => [remoteName, status]));
    expect(statuses(one)).toMatchObject({ append: 'changed', grown: 'new', count: 'active' });
    await two.until(() => statuses(two).grown === 'new');
    expect(two.names()).not.toContain('mcp__x__append');
    const held = two.servers.get('x').tools.filter(({ proposedHash }) => proposedHash !== null);
    await two.servers.accept(
      'x',
      held.map(({ remoteName, proposedHash }) => ({ tool: remoteName, hash: proposedHash ?? '' })),
    );
    await one.until(() => one.names().includes('mcp__x__grown') && one.names().includes('mcp__x__append'));
    expect(one.registry.find('mcp__x__append')?.description).toBe('changed');
    // No second connection was needed.
    expect((await readFile(join(folder, 'starts'), 'utf8')).trim().split('\n')).toHaveLength(1);
  });

  it('a removed server leaves no process behind', async () => {
    const one = side();
    await one.servers.refresh();
    await one.servers.add(
      'x',
      ServerDefinition.parse({ transport: 'stdio', command: process.execPath, args: [changing, folder] }),
    );
    await one.servers.connect('x');
    const pid = Number(await readFile(join(folder, 'starts'), 'utf8'));
    expect(() => process.kill(pid, 0)).not.toThrow();
    await one.servers.remove('x');
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
    expect(one.names()).toEqual([]);
    expect(await stores.store.servers.memory('x')).toEqual(noMemory);
  });
});
