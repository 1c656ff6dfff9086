import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { usualDatabaseKinds } from '../../../test/support/databases/test-database.ts';
import {
  capturedLogger,
  openTestTeamParts,
  plantedSecret,
  type TestTeamParts,
} from '../../../test/support/team/test-team-parts.ts';
import type { Member } from '../members/member.ts';
import { escalateFault, type Fault } from './escalate.ts';
import type { Mail } from './mail.ts';

describe.each(usualDatabaseKinds)('escalation on %s', (kind) => {
  let team: TestTeamParts;
  let worker: Member;
  let round = 0;
  beforeAll(async () => {
    team = await openTestTeamParts(kind, { eventTargets: [{ target: 'webhook:all' }] });
  });
  afterAll(() => team.stores.remove());
  beforeEach(async () => {
    round += 1;
    await team.addMember(`boss-${round}`, { type: 'SUPERVISOR' });
    await team.addMember(`lead-${round}`, { type: 'ORCHESTRATOR', supervisorId: `boss-${round}` });
    const supervisorId = `lead-${round}`;
    worker = await team.addMember(`worker-${round}`, { supervisorId, currentTaskId: 'task_7', agent: 'coder' });
  });

  it('a fault is mailed to the supervisor in the name of the failing member', async () => {
    await escalate({ message: `It broke with ${plantedSecret}` });
    const [mail, ...others] = await inbox(`lead-${round}`);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({
      fromAgentId: worker.id,
      fromAgentType: 'WORKER',
      subject: 'Tool failed: mcp__task__list (INTERNAL_ERROR)',
      escalation: { tool: 'mcp__task__list', code: 'INTERNAL_ERROR', callId: 'call_1', count: 1, isCritical: false },
    });
    for (const part of ['INTERNAL_ERROR', 'It broke', worker.id, 'task_7', 'coder', 'zoo log --call call_1']) {
      expect(mail?.body).toContain(part);
    }
    expect(mail?.body).toContain('When: 2026-11-15 12:00:00 UTC');
    expect(mail?.body).not.toMatch(/planted-secret|\bat .*\.ts:\d/);
    const { items } = await team.parts.store.deliveries.list({ limit: 1 });
    expect(items[0]).toMatchObject({ type: 'mail.sent', target: 'webhook:all' });
    expect(JSON.parse(items[0]?.data ?? '')).toMatchObject({ mailId: mail?.id, toAgentId: `lead-${round}` });
  });

  it('a trace that contains a code block stays one code block', async () => {
    await escalate({ tool: 'mcp__mail__send', trace: 'Error: invalid text:\n```\n<img>\n```' });
    const [critical] = await inbox(null);
    expect(critical?.body).toMatch(/\n````\nError: invalid text:\n```\n<img>\n```\n````$/);
  });

  it('the trace is in the mail of the user, and in no mail that a member can read', async () => {
    const trace = `TypeError: It broke\n    at run (tools/list.ts:7:3) ${plantedSecret}\n${'    at call (x.ts:1:1)\n'.repeat(1_000)}`;
    await escalate({ tool: 'mcp__mail__send', trace });
    const [critical] = await inbox(null);
    expect(critical?.body).toMatch(
      /\n\nTrace:\n```\nTypeError: It broke\n {4}at run \(tools\/list\.ts:7:3\)[\s\S]*\n```$/,
    );
    expect(critical?.body).not.toContain('planted-secret');
    expect(critical?.body.length).toBeLessThan(10_000);
    const [forLead] = await inbox(`lead-${round}`);
    expect(forLead?.body).toContain('zoo log --call call_1');
    expect(forLead?.body).not.toMatch(/Trace|at run/);
  });

  describe('up the line', () => {
    it('a FAILED supervisor is skipped', async () => {
      await team.parts.store.write((rows) => rows.changeMember(`lead-${round}`, { state: 'FAILED' }, 0));
      await escalate({});
      expect(await inbox(`lead-${round}`)).toEqual([]);
      expect(await inbox(`boss-${round}`)).toHaveLength(1);
    });

    it('without a remaining supervisor the mail goes to the user', async () => {
      await team.parts.store.write((rows) => rows.removeMember(`lead-${round}`));
      await escalate({});
      expect(await inbox(null)).toMatchObject([{ isForHuman: true, subject: expect.stringMatching(/^Tool failed/) }]);
    });

    it('two FAILED members that supervise each other leave the user', async () => {
      await team.parts.store.write(async (rows) => {
        await rows.changeMember(`lead-${round}`, { state: 'FAILED' }, 0);
        await rows.changeMember(`boss-${round}`, { state: 'FAILED', supervisorId: `lead-${round}` }, 0);
      });
      await escalate({});
      expect(await inbox(null)).toHaveLength(1);
    });

    it('the mail goes to the current supervisor, not to the one when the call began', async () => {
      await team.parts.store.write((rows) => rows.changeMember(worker.id, { supervisorId: `boss-${round}` }, 0));
      await escalate({});
      expect(await inbox(`boss-${round}`)).toHaveLength(1);
    });

    it('the fault of a member that was removed in the meantime is still mailed', async () => {
      await team.parts.store.write((rows) => rows.removeMember(worker.id));
      await escalate({});
      expect(await inbox(`lead-${round}`)).toMatchObject([{ fromAgentId: worker.id }]);
    });
  });

  const criticalTools = [
    'mcp__mail__send',
    'mcp__agent__get_task',
    'mcp__agent__get_epic',
    'mcp__task__update_status',
    'mcp__task__update_state',
    'mcp__epic__update_status',
  ];
  it.each([
    ...criticalTools.flatMap((tool) => [
      { tool, code: 'INTERNAL_ERROR', wasAccepted: true, supervisor: 1, person: 'critical' },
      { tool, code: 'INVALID_AGENT_STATE', wasAccepted: true, supervisor: 0, person: 'critical' },
      { tool, code: 'INVALID_INPUT', wasAccepted: false, supervisor: 0, person: 'none' },
    ]),
    { tool: 'mcp__mail__send', code: 'INTERNAL_ERROR', wasAccepted: false, supervisor: 1, person: 'none' },
    { tool: 'mcp__mail__send', code: 'CANCELLED', wasAccepted: true, supervisor: 0, person: 'critical' },
    { tool: 'mcp__mail__read', code: 'TRANSIENT_ERROR', wasAccepted: true, supervisor: 1, person: 'none' },
    { tool: 'mcp__mail__read', code: 'UNAVAILABLE', wasAccepted: true, supervisor: 1, person: 'none' },
    { tool: 'mcp__mail__read', code: 'TOOL_ERROR', wasAccepted: true, supervisor: 1, person: 'none' },
    { tool: 'mcp__mail__read', code: 'CANCELLED', wasAccepted: true, supervisor: 0, person: 'none' },
    { tool: 'mcp__mail__read', code: 'RESOURCE_NOT_FOUND', wasAccepted: true, supervisor: 0, person: 'none' },
    { tool: 'mcp__mail__read', code: 'PERMISSION_DENIED', wasAccepted: false, supervisor: 0, person: 'none' },
    { tool: 'mcp__mail__read', code: 'NOT_CONFIGURED', wasAccepted: true, supervisor: 0, person: 'none' },
    { tool: 'mcp__mail__read', code: 'SIGN_IN_REQUIRED', wasAccepted: true, supervisor: 0, person: 'none' },
    { tool: 'mcp__mail__read', code: 'INVALID_CONFIG', wasAccepted: true, supervisor: 1, person: 'none' },
    { tool: 'no_such_tool', code: 'UNKNOWN_TOOL', wasAccepted: false, supervisor: 0, person: 'none' },
  ])('$tool with $code (accepted: $wasAccepted) is mailed to $supervisor supervisor, person: $person', async (each) => {
    await escalate(each);
    expect(await inbox(`lead-${round}`)).toHaveLength(each.supervisor);
    const toPerson = await inbox(null);
    expect(toPerson).toHaveLength(each.person === 'none' ? 0 : 1);
    for (const mail of toPerson) {
      expect(mail.subject).toMatch(new RegExp(`^⚠️ CRITICAL: ${each.tool} failed`));
      expect(mail.escalation?.isCritical).toBe(true);
    }
  });

  it('without a supervisor a critical fault is one mail, marked as critical', async () => {
    const alone = await team.addMember(`alone-${round}`);
    await escalate({ member: alone, tool: 'mcp__mail__send' });
    expect(await inbox(null, alone.id)).toMatchObject([{ subject: expect.stringMatching(/^⚠️ CRITICAL/) }]);
  });

  describe('the same fault again', () => {
    it('is counted within the window, and mailed with the earlier count after it', async () => {
      await escalate({});
      team.clock.advance(9 * 60_000);
      await escalate({ callId: 'call_2' });
      await escalate({ callId: 'call_3' });
      const [first, ...others] = await inbox(`lead-${round}`);
      expect(others).toEqual([]);
      expect(first?.escalation).toMatchObject({ count: 3, callId: 'call_1' });
      expect(Date.parse(first?.escalation?.lastAt ?? '')).toBe(team.clock.now());
      team.clock.advance(60_001);
      await escalate({ callId: 'call_4' });
      const [second, again] = await inbox(`lead-${round}`);
      expect(again).toEqual(first);
      expect(second?.escalation).toMatchObject({ count: 1, callId: 'call_4' });
      expect(second?.body).toContain(
        `It failed 3 times before, from 2026-11-15 12:00:00 UTC to 2026-11-15 12:09:00 UTC`,
      );
    });

    it('is mailed again when the first mail was sent while the clock was hours ahead', async () => {
      team.clock.advance(10 * 3_600_000);
      await escalate({});
      team.clock.time -= 10 * 3_600_000;
      await escalate({ callId: 'call_2' });
      await escalate({ callId: 'call_3' });
      const mails = await inbox(`lead-${round}`);
      const counted = mails.map(({ escalation }) => [escalation?.callId, escalation?.count]);
      expect(Object.fromEntries(counted)).toEqual({ call_1: 1, call_2: 2 });
    });

    it('is a different fault with another code, tool or member', async () => {
      const supervisorId = `lead-${round}`;
      const colleague = await team.addMember(`colleague-${round}`, { supervisorId });
      await escalate({});
      await escalate({ code: 'TRANSIENT_ERROR' });
      await escalate({ tool: 'mcp__epic__list' });
      await escalate({ member: colleague });
      expect(await inbox(supervisorId)).toHaveLength(4);
    });

    it('in two processes at once sends one mail that counts them all', async () => {
      const both = [team.parts, team.other].map((parts) => (given: Fault) => escalateFault(parts, given));
      const faults = Array.from({ length: 20 }, (_, index) =>
        fault({ callId: `call_${index}`, tool: 'mcp__mail__send' }),
      );
      await Promise.all(faults.map((each, index) => both[index % 2]?.(each)));
      expect(await inbox(`lead-${round}`)).toMatchObject([{ escalation: { count: 20 } }]);
      expect(await inbox(null)).toMatchObject([{ escalation: { count: 20 } }]);
    });
  });

  it('a mail that cannot be written is logged, and the caller gets no error', async () => {
    const logger = capturedLogger();
    const write = () => Promise.reject(new Error('the disk is full'));
    await escalateFault({ ...team.parts, logger, store: { ...team.parts.store, write } }, fault({}));
    expect(logger.messages).toEqual(['a failed call could not be mailed']);
  });

  function fault(fields: Partial<Fault>): Fault {
    const message = 'Internal error';
    return {
      member: worker,
      tool: 'mcp__task__list',
      callId: 'call_1',
      code: 'INTERNAL_ERROR',
      message,
      wasAccepted: true,
      ...fields,
    };
  }

  function escalate(fields: Partial<Fault>): Promise<number> {
    return escalateFault(team.parts, fault(fields));
  }

  /** Newest first, from this round's worker. */
  async function inbox(toAgentId: string | null, from = worker.id): Promise<Mail[]> {
    const { items } = await team.parts.store.mailbox({ toAgentId, includeRead: true, limit: 50 });
    return toAgentId === null ? items.filter((mail) => mail.fromAgentId === from) : items;
  }
});
