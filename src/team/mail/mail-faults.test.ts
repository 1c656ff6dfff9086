import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usualDatabaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestTeam, type TestTeam } from '../../../test/support/team/open-test-team.ts';
import { teamCalls } from '../../../test/support/team/team-calls.ts';
import { NewMember } from '../members/member.ts';
import type { TeamStore } from '../team.store.ts';
import { teamMail } from './team-mail.ts';

/** A transaction of PostgreSQL takes many ways to its server and back. */
const howMany = { sqlite: 1_000, postgres: 200 };
const atOnce = 20;

describe.each(usualDatabaseKinds)('mail under faults in %s', (kind) => {
  const mails = howMany[kind];
  let test: TestTeam;
  beforeAll(async () => {
    test = await openTestTeam(kind);
    await test.team.members.add(NewMember.parse({ id: 'worker' }));
    await test.team.members.add(NewMember.parse({ id: 'boss' }));
    test.team.events.on('mail.sent', () => {});
    await test.team.events.registered();
  });
  afterAll(() => test.remove());

  /** Fails between a mail and its event, up to three times for each mail: a call may try four times. */
  function faultyStore(): { store: TeamStore; faults: () => number } {
    const failed = new Map<string, number>();
    let faults = 0;
    const store: TeamStore = {
      ...test.parts.store,
      write: (run) =>
        test.parts.store.write((rows) =>
          run({
            ...rows,
            async addEvent(event, targets) {
              const { subject } = JSON.parse(event.data);
              const before = failed.get(subject) ?? 0;
              if (before < 1 + (Number(subject) % 3)) {
                failed.set(subject, before + 1);
                faults += 1;
                throw new Error('the network is gone');
              }
              await rows.addEvent(event, targets);
            },
          }),
        ),
    };
    return { store, faults: () => faults };
  }

  it(`${mails} mails whose transactions fail between write and event are each there once, with their event`, async () => {
    const { store, faults } = faultyStore();
    const { call } = teamCalls({
      ...test,
      team: { ...test.team, mail: teamMail({ ...test.parts, store }, test.team.members) },
    });
    const subjects = Array.from({ length: mails }, (_, index) => String(index));
    for (let from = 0; from < mails; from += atOnce) {
      const batch = subjects.slice(from, from + atOnce);
      await Promise.all(
        batch.map((subject) => call('worker', 'mcp__mail__send', { toAgentId: 'boss', subject, body: 'b' })),
      );
    }
    const counted = subjects.reduce((sum, subject) => sum + 1 + (Number(subject) % 3), 0);
    expect(faults()).toBe(counted);
    expect((await allMails()).sort()).toEqual([...subjects].sort());
    expect(await test.parts.store.deliveries.count()).toMatchObject({ pending: mails });
  }, 120_000);

  async function allMails(): Promise<string[]> {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await test.parts.store.mailbox({ toAgentId: 'boss', includeRead: true, limit: 100, cursor });
      found.push(...page.items.map(({ subject }) => subject));
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    return found;
  }
});
