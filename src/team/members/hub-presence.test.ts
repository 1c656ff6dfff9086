import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { usualDatabaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestTeamParts, type TestTeamParts } from '../../../test/support/team/test-team-parts.ts';
import { backupStore, restoreStore } from '../../store/backup.ts';
import { hubPresence } from './hub-presence.ts';
import { teamHealth } from './team-health.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

describe.each(usualDatabaseKinds)('time in which no hub was there, on %s', (kind) => {
  let team: TestTeamParts;
  beforeEach(async () => {
    team = await openTestTeamParts(kind);
    await team.addMember('boss', { type: 'SUPERVISOR' });
    await team.addMember('worker', { supervisorId: 'boss', state: 'BUSY', currentTaskId: 'task_1' });
    await team.addTask('task_1', { state: 'IN_PROGRESS', assigneeId: 'worker' });
    await team.noteCall('worker');
  });
  afterEach(() => team.stores.remove());

  /** A hub that is there for some time and says so as often as a served one does. */
  async function passes(milliseconds: number, presence = hubPresence(team.parts)): Promise<void> {
    await presence.beat();
    for (let passed = 0; passed < milliseconds; passed += 15 * second) {
      team.clock.advance(15 * second);
      await presence.beat();
    }
  }

  async function stalled(health = teamHealth(team.parts)): Promise<string[]> {
    const { members } = await health.check();
    return members.filter(({ isStalled }) => isStalled).map(({ agentId }) => agentId);
  }

  it('is given back to members after a night, and only that', async () => {
    const presence = hubPresence(team.parts);
    await passes(20 * minute, presence);
    team.clock.advance(8 * hour);
    expect(await stalled()).toEqual([]);
    await passes(9 * minute, presence);
    expect(await stalled()).toEqual([]);
    expect(await teamHealth(team.parts).recover()).toMatchObject({ failedMembers: [], returnedTasks: [] });
    await passes(2 * minute, presence);
    expect(await stalled()).toEqual(['worker']);
    expect(await teamHealth(team.parts).recover()).toMatchObject({
      failedMembers: ['worker'],
      returnedTasks: ['task_1'],
    });
  });

  it('does not count after a restart either, with what the store remembers', async () => {
    await passes(20 * minute);
    team.clock.advance(3 * hour);
    await passes(5 * minute, hubPresence(team.other));
    team.clock.advance(2 * hour);
    await passes(4 * minute);
    expect(await stalled()).toEqual([]);
    await passes(2 * minute);
    expect(await stalled()).toEqual(['worker']);
  });

  it('is only the time in which no hub at all was there', async () => {
    const first = hubPresence(team.parts);
    await passes(minute, first);
    await passes(31 * minute, hubPresence(team.other));
    await first.beat();
    expect(await stalled()).toEqual(['worker']);
  });

  it('is what a served hub notices before it judges anybody', async () => {
    const running = teamHealth(team.parts).start();
    try {
      await vi.waitFor(() => expect(team.clock.sleeps()).toContain(30_000));
      team.clock.advance(5 * hour);
      await vi.waitFor(async () => expect(await team.parts.store.presence()).toHaveLength(2));
      await vi.waitFor(() => expect(team.clock.sleeps()).toContain(30_000));
      expect(await team.parts.store.member('worker')).toMatchObject({ state: 'BUSY' });
      expect(await team.parts.store.task('task_1')).toMatchObject({ state: 'IN_PROGRESS', assigneeId: 'worker' });
    } finally {
      await running.close();
    }
  });

  it('does not make waiting tasks look older', async () => {
    await team.addTask('task_2', { state: 'REVIEW' });
    await passes(minute);
    team.clock.advance(30 * hour);
    await passes(minute);
    expect((await teamHealth(team.parts).check()).tasks).toEqual([]);
  });

  it('a clock that jumps ahead by minutes fails nobody, and one that is set back neither', async () => {
    const presence = hubPresence(team.parts);
    await passes(20 * minute, presence);
    team.clock.advance(40 * minute);
    await presence.beat();
    expect(await stalled()).toEqual([]);
    team.clock.time -= 50 * minute;
    await presence.beat();
    expect(await stalled()).toEqual([]);
    await passes(5 * minute, presence);
    expect(await stalled()).toEqual([]);
  });

  it('does not grow with a clock that was hours ahead for a while', async () => {
    const presence = hubPresence(team.parts);
    await passes(5 * minute, presence);
    team.clock.advance(10 * hour);
    await passes(5 * minute, presence);
    team.clock.time -= 10 * hour;
    await passes(20 * minute, presence);
    expect(await stalled()).toEqual([]);
    await passes(12 * minute, presence);
    expect(await stalled()).toEqual(['worker']);
    // When the time comes that the clock once showed, nothing claims that a hub was there.
    await team.noteCall('worker');
    team.clock.advance(12 * hour);
    await passes(29 * minute, presence);
    expect(await stalled()).toEqual([]);
  });

  it('does not protect a member whose last call was logged while the clock was ahead', async () => {
    const health = teamHealth(team.parts);
    const presence = hubPresence(team.parts);
    await passes(minute, presence);
    team.clock.advance(10 * hour);
    await passes(minute, presence);
    await team.noteCall('worker');
    team.clock.time -= 10 * hour;
    await presence.beat();
    expect(await stalled(health)).toEqual([]);
    await passes(29 * minute, presence);
    expect(await health.recover()).toMatchObject({ failedMembers: [] });
    await passes(2 * minute, presence);
    expect(await health.recover()).toMatchObject({ failedMembers: ['worker'], returnedTasks: ['task_1'] });
  });

  it('includes the time between a backup and its restore under a running hub', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'zoo-presence-'));
    const file = join(folder, 'zoo.backup');
    const presence = hubPresence(team.parts);
    await passes(5 * minute, presence);
    await backupStore({ db: team.stores.db, file });
    await passes(3 * hour, presence);
    const { keptFile } = await restoreStore({ db: team.stores.db, file, force: true });
    await presence.beat();
    expect(await stalled()).toEqual([]);
    await passes(24 * minute, presence);
    expect(await stalled()).toEqual([]);
    await passes(2 * minute, presence);
    expect(await stalled()).toEqual(['worker']);
    await rm(keptFile ?? '');
    await rm(folder, { recursive: true });
  });

  it('is known however long it lasted', async () => {
    await passes(20 * minute);
    team.clock.advance(90 * 24 * hour);
    await passes(5 * minute, hubPresence(team.other));
    expect(await stalled()).toEqual([]);
    await passes(6 * minute);
    expect(await stalled()).toEqual(['worker']);
  });

  it('passes for nobody else while a process of one member runs', async () => {
    await passes(minute);
    await passes(40 * minute, hubPresence(team.other, 'boss'));
    expect(await stalled()).toEqual([]);
  });

  it('does not pass for a member while a process of its own runs, or that of another member after it', async () => {
    await passes(minute);
    await passes(10 * minute, hubPresence(team.other, 'worker'));
    await passes(18 * minute, hubPresence(team.other, 'boss'));
    expect(await stalled()).toEqual([]);
    await passes(2 * minute, hubPresence(team.other, 'boss'));
    expect(await stalled()).toEqual(['worker']);
  });

  it('is also known of a team that was never served and works through processes of its members', async () => {
    await passes(20 * minute, hubPresence(team.other, 'worker'));
    team.clock.advance(8 * hour);
    await passes(9 * minute, hubPresence(team.other, 'boss'));
    expect(await stalled()).toEqual([]);
    await passes(2 * minute, hubPresence(team.other, 'boss'));
    expect(await stalled()).toEqual(['worker']);
  });

  it('is counted once at most when the clock of another machine is ahead', async () => {
    const here = hubPresence(team.parts);
    const clock = { now: () => team.clock.now() + 5 * minute, sleep: team.clock.sleep };
    const ahead = hubPresence({ ...team.other, clock });
    for (let passed = 0; passed < 36 * minute; passed += 15 * second) {
      team.clock.advance(15 * second);
      await here.beat();
      await ahead.beat();
    }
    expect(await stalled()).toEqual(['worker']);
  });
});
