import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { dayMs, systemClock } from '../base/clock.ts';
import { loadConfig } from '../config/load-config.ts';
import { createHub, type Hub } from '../hub.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-sweep-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A hub some days from now. */
async function open(toml: string, days: number): Promise<Hub> {
  await writeFile(join(folder, 'zoo.toml'), `${toml}\n[agents.clerk]\nsystem_prompt = "You count."\n`);
  const config = await loadConfig({ cwd: folder, env: { AGENT_ZOO_HOME: folder }, home: folder });
  expect(config.problems).toEqual([]);
  const clock = { ...systemClock, now: () => systemClock.now() + days * dayMs };
  return createHub({ config, clock });
}

async function kept({ store }: Hub): Promise<string[]> {
  const [{ chats }, { runs }] = await Promise.all([store.chats.list({ limit: 9 }), store.runs.list({ limit: 9 })]);
  return [...chats.map(({ chat }) => chat.title), ...runs.map(({ title }) => title)].toSorted();
}

it.each([
  ['[chats]\nkeep_days = 30', ['new chat', 'new run', 'old run']],
  ['[runs]\nkeep_days = 30.5', ['new chat', 'new run', 'old chat']],
  ['[chats]\nkeep_days = 30\n[runs]\nkeep_days = 10', ['new chat', 'new run']],
  // Runs tell of the same calls as the log, unless something else is said of them.
  ['[log]\nkeep_days = 30', ['new chat', 'new run', 'old chat']],
  ['[log]\nkeep_days = 30\n[runs]\nkeep_days = 0', ['new chat', 'new run', 'old chat', 'old run']],
  ['[chats]\nkeep_days = 0', ['new chat', 'new run', 'old chat', 'old run']],
])('a hub with %j keeps %j', async (toml, expected) => {
  for (const [age, days] of [
    ['old', 0],
    ['new', 31],
  ] as const) {
    const hub = await open(toml, days);
    await hub.chats.create({ agentId: 'clerk', title: `${age} chat` });
    const run = { id: age, agentId: 'clerk', model: 'm', title: `${age} run`, messages: [] };
    await hub.store.runs.begin(run);
    const end = { ticks: 0, usage: (await hub.store.runs.get(age)).usage, cost: 0, messages: [], calls: [] };
    await hub.store.runs.finish(age, { ...end, status: 'completed', reason: '', error: null });
    if (age === 'new') {
      // The sweep begins with these, and a hub that closes waits for its end.
      const swept = vi.spyOn(hub.store.team.deliveries, 'prune');
      hub.startTeam();
      await vi.waitFor(() => expect(swept).toHaveBeenCalled());
    }
    await hub.close();
  }
  const after = await open(toml, 31);
  expect(await kept(after)).toEqual(expected);
  await after.close();
});
