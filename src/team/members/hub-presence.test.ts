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

describe.each(usualDatabaseKinds)('time without a hub, on %s', (kind) => {
  let team: TestTeamParts;
  beforeEach(async () => {
    team = await openTestTeamParts(kind);
    await team.addMember('boss', { type: 'SUPERVISOR' });
    await team.addMember('worker', { supervisorId: 'boss', state: 'BUSY', currentTaskId: 'task_1' });
    await team.addTask('task_1', { state: 'IN_PROGRESS', assigneeId: 'worker' });
    await team.noteCall('worker');
  });
  afterEach(() => team.stores.remove());

  /** Runs a hub for some time, with a heartbeat as often as a served hub sends one. */
  async function runFor(milliseconds: number, presence = hubPresence(team.parts)): Promise<void> {
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

  it('is not held against members after a night, and only that', async () => {
    const presence = hubPresence(team.parts);
    await runFor(20 * minute, presence);
    team.clock.advance(8 * hour);
    expect(await stalled()).toEqual([]);
    await runFor(9 * minute, presence);
    expect(await stalled()).toEqual([]);
    expect(await teamHealth(team.parts).recover()).toMatchObject({ failedMembers: [], returnedTasks: [] });
    await runFor(2 * minute, presence);
    expect(await stalled()).toEqual(['worker']);
    expect(await teamHealth(team.parts).recover()).toMatchObject({
      failedMembers: ['worker'],
      returnedTasks: ['task_1'],
    });
  });

  it('is remembered across restarts', async () => {
    await runFor(20 * minute);
    team.clock.advance(3 * hour);
    await runFor(5 * minute, hubPresence(team.other));
    team.clock.advance(2 * hour);
    await runFor(4 * minute);
    expect(await stalled()).toEqual([]);
    await runFor(2 * minute);
    expect(await stalled()).toEqual(['worker']);
  });

  it('is only counted while no hub at all runs', async () => {
    const first = hubPresence(team.parts);
    await runFor(minute, first);
    await runFor(31 * minute, hubPresence(team.other));
    await first.beat();
    expect(await stalled()).toEqual(['worker']);
  });

  it('is noticed by a served hub before it fails a member', async () => {
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
    await runFor(minute);
    team.clock.advance(30 * hour);
    await runFor(minute);
    expect((await teamHealth(team.parts).check()).tasks).toEqual([]);
  });

  it('a clock that jumps ahead or is set back fails nobody', async () => {
    const presence = hubPresence(team.parts);
    await runFor(20 * minute, presence);
    team.clock.advance(40 * minute);
    await presence.beat();
    expect(await stalled()).toEqual([]);
    team.clock.time -= 50 * minute;
    await presence.beat();
    expect(await stalled()).toEqual([]);
    await runFor(5 * minute, presence);
    expect(await stalled()).toEqual([]);
  });

  it('does not grow with a clock that was hours ahead for a while', async () => {
    const presence = hubPresence(team.parts);
    await runFor(5 * minute, presence);
    team.clock.advance(10 * hour);
    await runFor(5 * minute, presence);
    team.clock.time -= 10 * hour;
    await runFor(20 * minute, presence);
    expect(await stalled()).toEqual([]);
    await runFor(12 * minute, presence);
    expect(await stalled()).toEqual(['worker']);
    // Reaching the times that the clock once showed does not count as time with a hub.
    await team.noteCall('worker');
    team.clock.advance(12 * hour);
    await runFor(29 * minute, presence);
    expect(await stalled()).toEqual([]);
  });

  it('does not protect a member whose last call was logged while the clock was ahead', async () => {
    const health = teamHealth(team.parts);
    const presence = hubPresence(team.parts);
    await runFor(minute, presence);
    team.clock.advance(10 * hour);
    await runFor(minute, presence);
    await team.noteCall('worker');
    team.clock.time -= 10 * hour;
    await presence.beat();
    expect(await stalled(health)).toEqual([]);
    await runFor(29 * minute, presence);
    expect(await health.recover()).toMatchObject({ failedMembers: [] });
    await runFor(2 * minute, presence);
    expect(await health.recover()).toMatchObject({ failedMembers: ['worker'], returnedTasks: ['task_1'] });
  });

  it('includes the time between a backup and its restore under a running hub', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'zoo-presence-'));
    const file = join(folder, 'zoo.backup');
    const presence = hubPresence(team.parts);
    await runFor(5 * minute, presence);
    await backupStore({ db: team.stores.db, file });
    await runFor(3 * hour, presence);
    const { keptFile } = await restoreStore({ db: team.stores.db, file, force: true });
    await presence.beat();
    expect(await stalled()).toEqual([]);
    await runFor(24 * minute, presence);
    expect(await stalled()).toEqual([]);
    await runFor(2 * minute, presence);
    expect(await stalled()).toEqual(['worker']);
    await rm(keptFile ?? '');
    await rm(folder, { recursive: true });
  });

  it('is counted however long it lasts', async () => {
    await runFor(20 * minute);
    team.clock.advance(90 * 24 * hour);
    await runFor(5 * minute, hubPresence(team.other));
    expect(await stalled()).toEqual([]);
    await runFor(6 * minute);
    expect(await stalled()).toEqual(['worker']);
  });

  it('continues for the other members while the process of one member runs', async () => {
    await runFor(minute);
    await runFor(40 * minute, hubPresence(team.other, 'boss'));
    expect(await stalled()).toEqual([]);
  });

  it('ends for a member with its own process, and stays ended while another member runs one', async () => {
    await runFor(minute);
    await runFor(10 * minute, hubPresence(team.other, 'worker'));
    await runFor(18 * minute, hubPresence(team.other, 'boss'));
    expect(await stalled()).toEqual([]);
    await runFor(2 * minute, hubPresence(team.other, 'boss'));
    expect(await stalled()).toEqual(['worker']);
  });

  it('is also counted for a team without a served hub, whose members run their own processes', async () => {
    await runFor(20 * minute, hubPresence(team.other, 'worker'));
    team.clock.advance(8 * hour);
    await runFor(9 * minute, hubPresence(team.other, 'boss'));
    expect(await stalled()).toEqual([]);
    await runFor(2 * minute, hubPresence(team.other, 'boss'));
    expect(await stalled()).toEqual(['worker']);
  });

  it('is not counted twice when the clock of another machine is ahead', async () => {
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
