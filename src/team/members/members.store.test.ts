import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { databaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores, testAgent } from '../../../test/support/databases/test-store.ts';
import { epicRow, mailRow, memberRow, taskRow, teamTime } from '../../../test/support/team/team-rows.ts';
import type { TeamConcern } from '../team.store.ts';

describe.each(databaseKinds)('members in %s', (kind) => {
  let stores: TestStores;
  beforeAll(async () => {
    stores = await openTestStores(kind);
  });
  afterAll(() => stores.remove());

  it('every process reads a member unchanged', async () => {
    const { team } = stores.store;
    const member = memberRow('full', {
      agent: 'code-wizard',
      type: 'SUPERVISOR',
      state: 'BUSY',
      supervisorId: 'boss',
      currentEpicId: 'e',
      currentTaskId: 't',
      tmuxSessionName: 'session',
      tokenHash: 'hash',
    });
    await team.write((rows) => rows.addMember(member));
    expect(await stores.other.team.member('full')).toEqual(member);
    expect(await stores.other.team.members()).toContainEqual(member);
    expect(await team.member('nobody')).toBeUndefined();
    expect(await team.member('nul\0')).toBeUndefined();
  });

  it('an id can be used once, and a rejected transaction leaves nothing', async () => {
    const { team } = stores.store;
    await team.write((rows) => rows.addMember(memberRow('taken')));
    const twice = team.write(async (rows) => {
      await rows.addMember(memberRow('not-kept'));
      await rows.addMember(memberRow('taken', { agent: 'other' }));
    });
    await expect(twice).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('"taken"') });
    expect(await team.member('not-kept')).toBeUndefined();
    expect(await team.member('taken')).toMatchObject({ agent: null });
  });

  it('a change sets only the named fields and the time', async () => {
    const { team } = stores.store;
    const member = memberRow('changed', { agent: 'a', supervisorId: 's', tokenHash: 'h' });
    await team.write((rows) => rows.addMember(member));
    const change = { state: 'WAITING', supervisorId: null, tmuxSessionName: 'a\0b' } as const;
    expect(await team.write((rows) => rows.changeMember('changed', change, teamTime + 5))).toBe(true);
    expect(await team.member('changed')).toEqual({
      ...member,
      state: 'WAITING',
      supervisorId: null,
      tmuxSessionName: 'a\ufffdb',
      updatedAt: new Date(teamTime + 5).toISOString(),
    });
    expect(await team.write((rows) => rows.changeMember('nobody', change, 1))).toBe(false);
  });

  it('the mail of a removed member stays', async () => {
    const { team } = stores.store;
    await team.write(async (rows) => {
      await rows.addMember(memberRow('leaves'));
      await rows.addMail(mailRow('to-leaves', { toAgentId: 'leaves' }));
    });
    expect(await team.write((rows) => rows.removeMember('leaves'))).toBe(true);
    expect(await team.write((rows) => rows.removeMember('leaves'))).toBe(false);
    expect(await team.mail('to-leaves')).toMatchObject({ toAgentId: 'leaves' });
  });

  it('the last call comes from the decision log', async () => {
    const { team, decisions } = stores.store;
    const entry = {
      surface: 'http',
      persona: null,
      taskId: null,
      tool: 't',
      decision: '',
      reasoning: '',
      context: '{}',
    };
    await decisions.append({ ...entry, callId: 'c1', kind: 'invocation', at: teamTime + 1, agentId: 'caller' });
    await decisions.append({ ...entry, callId: 'c2', kind: 'invocation', at: teamTime + 7, agentId: 'caller' });
    await decisions.append({ ...entry, callId: 'c3', kind: 'invocation', at: teamTime + 9, agentId: 'someone' });
    expect(await team.write((rows) => rows.lastCall('caller'))).toBe(teamTime + 7);
    expect(await team.write((rows) => rows.lastCall('silent'))).toBeUndefined();
  });

  describe('changes', () => {
    it('each concern is reported once per transaction, in every process', async () => {
      const { store, other } = stores;
      const here: TeamConcern[][] = [];
      const there: TeamConcern[][] = [];
      const stops = [
        store.team.watch((what) => here.push([...what])),
        other.team.watch((what) => there.push([...what])),
      ];
      const before = [store, other].map(({ team }) => team.membersRevision());
      await store.team.write(async (rows) => {
        await rows.addTask(taskRow('watched'));
        await rows.addMail(mailRow('watched'));
        await rows.addMember(memberRow('watched'));
        await rows.changeMember('watched', { state: 'BUSY' }, teamTime);
      });
      await vi.waitFor(() => expect(new Set(there.flat())).toEqual(new Set(['members', 'mail', 'work'])));
      expect(here.flat().toSorted()).toEqual(['mail', 'members', 'work']);
      expect(store.team.membersRevision()).not.toBe(before[0]);
      expect(other.team.membersRevision()).not.toBe(before[1]);

      here.length = 0;
      await store.team.write((rows) => rows.addEpic(epicRow('watched')));
      expect(here).toEqual([['work']]);
      for (const stop of stops) stop();
    });

    it('are not reported for a transaction that changed nothing or was rolled back', async () => {
      const { team, agents } = stores.store;
      const reports: (readonly TeamConcern[])[] = [];
      const stop = team.watch((what) => reports.push(what));
      const before = team.membersRevision();
      await team.write(async (rows) => {
        await rows.member('watched');
        await rows.changeMember('nobody', { state: 'BUSY' }, teamTime);
        await rows.markRead('no-mail', teamTime);
        await rows.removeTask('no-task');
      });
      const givenUp = team.write(async (rows) => {
        await rows.removeMember('watched');
        throw new Error('given up');
      });
      await expect(givenUp).rejects.toThrow('given up');
      await agents.create(testAgent('another-concern'));
      expect(team.membersRevision()).toBe(before);
      expect(reports).toEqual([]);
      stop();
    });
  });

  it('a row read by its id stays locked until the transaction ends', async () => {
    const { store, other } = stores;
    await store.team.write((rows) => rows.addMember(memberRow('locked')));
    const steps: string[] = [];
    const isRead = Promise.withResolvers<void>();
    const first = store.team.write(async (rows) => {
      const seen = await rows.member('locked');
      isRead.resolve();
      for (let turn = 0; turn < 20; turn += 1) await rows.members();
      steps.push('first');
      await rows.changeMember('locked', { tmuxSessionName: `${seen?.tmuxSessionName ?? ''}a` }, teamTime);
    });
    await isRead.promise;
    const second = other.team.write(async (rows) => {
      const seen = await rows.member('locked');
      steps.push('second');
      await rows.changeMember('locked', { tmuxSessionName: `${seen?.tmuxSessionName ?? ''}b` }, teamTime);
    });
    await Promise.all([first, second]);
    expect(steps).toEqual(['first', 'second']);
    expect(await store.team.member('locked')).toMatchObject({ tmuxSessionName: 'ab' });
  });
});
