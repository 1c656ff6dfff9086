import { expect, test, vi } from 'vitest';
import { scriptFolder } from '../../test/support/lua/script-folder.ts';
import { loadConfig } from '../config/load-config.ts';
import { createHub, type Hub } from '../hub.ts';

const handbook = `
[connectors.filesystem.handbook]
root = "handbook"
`;

async function openHub(dir: string, watch = false): Promise<Hub> {
  const config = await loadConfig({ cwd: dir, env: { AGENT_ZOO_HOME: dir }, home: dir });
  return createHub({ config, db: { path: ':memory:' }, watch });
}

test.each([
  ['a branch', '[connectors.git.rules]\nurl = "https://host.example/rules.git"\nbranch = "--force"', 'branch'],
  ['an address', '[connectors.git.rules]\nurl = "--upload-pack=x"', 'url'],
  ['a missing key', '[connectors.git.rules]\nbranch = "main"', 'connectors.git.rules.url'],
])('a source with %s that cannot be used fails alone', async (_, section, word) => {
  await using folder = await scriptFolder({ 'zoo.toml': `${handbook}${section}\n`, 'handbook/a.md': '# A\nfirst' });
  const hub = await openHub(folder.dir);
  try {
    const reports = await hub.knowledge.sync({ target: 'all' });
    expect(reports).toMatchObject([
      { source: 'filesystem:handbook', added: 1 },
      { source: 'git:rules', added: 0, error: expect.stringContaining(word) },
    ]);
    expect((await hub.knowledge.sources()).map(({ source, origin }) => [source, origin])).toEqual([
      ['filesystem:handbook', 'config'],
      ['git:rules', 'config'],
    ]);
  } finally {
    await hub.close();
  }
});

test('a repository that cannot be used is refused before it is stored, and one that is stored can be removed', async () => {
  await using folder = await scriptFolder({ 'zoo.toml': handbook, 'handbook/a.md': '# A\nfirst' });
  const hub = await openHub(folder.dir);
  try {
    const settings = { url: 'https://host.example/rules.git', branch: '--force' };
    const source = { type: 'git', name: 'rules', settings } as const;
    await expect(hub.knowledge.addSource(source)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect(await hub.store.knowledge.sources.list()).toEqual([]);

    await hub.store.knowledge.sources.add({ ...source, source: 'git:rules', createdAt: 0 });
    expect((await hub.knowledge.sources()).map((each) => each.source)).toEqual(['filesystem:handbook', 'git:rules']);
    await hub.knowledge.removeSource('git:rules');
    expect((await hub.knowledge.sources()).map((each) => each.source)).toEqual(['filesystem:handbook']);
  } finally {
    await hub.close();
  }
});

test('sources follow the config file while the hub runs; settings that cannot are named', async () => {
  await using folder = await scriptFolder({
    'zoo.toml': handbook,
    'handbook/a.md': '# A\nfirst',
    'notes/b.md': '# B\nsecond',
  });
  const hub = await openHub(folder.dir, true);
  const events: string[] = [];
  hub.knowledge.events.on(({ type }) => events.push(type));
  try {
    expect(await labels()).toEqual(['filesystem:handbook']);
    await folder.write('zoo.toml', `${handbook}[connectors.filesystem.notes]\nroot = "notes"\n`);
    await vi.waitFor(async () => expect(await labels()).toEqual(['filesystem:handbook', 'filesystem:notes']), patience);
    await vi.waitFor(() => expect(events).toContain('sources'), patience);
    expect(await hub.knowledge.sync({ target: 'notes' })).toMatchObject([{ added: 1 }]);

    await folder.write('zoo.toml', `${handbook}[connectors.filesystem.notes]\n[chunking]\nmax_tokens = 300\n`);
    await vi.waitFor(() => {
      const messages = hub.problems().map(({ message }) => message);
      expect(messages).toContainEqual(expect.stringContaining('connectors.filesystem.notes.root'));
      expect(messages).toContain('zoo.toml: [chunking] changed. Restart the hub to apply the change.');
    }, patience);
    expect(await hub.knowledge.sync({ target: 'notes' })).toMatchObject([{ error: expect.any(String), removed: 0 }]);

    await folder.write('zoo.toml', handbook);
    await vi.waitFor(() => expect(hub.problems()).toEqual([]), patience);
    expect((await hub.knowledge.sources()).map(({ origin }) => origin)).toEqual(['config', 'gone']);
  } finally {
    await hub.close();
  }

  async function labels(): Promise<string[]> {
    return (await hub.knowledge.sources()).map(({ source }) => source);
  }
});

const patience = { timeout: 15_000, interval: 50 };
