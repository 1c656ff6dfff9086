import type { Clock } from '../../src/base/clock.ts';
import { HubError } from '../../src/base/hub-error.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { openStore } from '../../src/store/open-store.ts';
import { resolvePermissions } from '../../src/team/members/default-permissions.ts';
import { NewMember } from '../../src/team/members/member.ts';
import type { TeamStore } from '../../src/team/team.store.ts';
import { createTeam } from '../../src/team/team.ts';
import type { TeamParts } from '../../src/team/team-parts.ts';
import { readDecisions } from '../../test/support/databases/test-decision.ts';
import { teamCalls } from '../../test/support/team/team-calls.ts';
import { countBy, firstProblems, type ProofPlace, readTables } from './team-proof-parts.ts';

const faultPlaces = [
  'before the mail',
  'between mail and event',
  'after the event',
  'at the answer of the key',
  'before the commit',
  'after the commit',
] as const;
type FaultPlace = (typeof faultPlaces)[number];

export interface FaultProof {
  mails: number;
  /** How many were injected at each place. */
  faults: Record<FaultPlace, number>;
  /** Calls that failed after all their attempts. */
  failedCalls: number;
  problems: string[];
}

const atOnce = 20;
const maxCalls = 100;

/**
 * Members send mail through the whole pipeline while transactions fail at random, until enough of them have failed between
 * mail and event. A caller with a key calls again until it is answered; one without a key leaves it at a failure, and its mail
 * may be there or not. No mail may be there twice, none that was acknowledged may be missing, each must have one event.
 */
export async function mailUnderFaults({
  db,
  faults,
}: Pick<ProofPlace, 'db'> & { faults: number }): Promise<FaultProof> {
  const store = await openStore({ db, clock: instantClock, logger: silentLogger });
  const counts = Object.fromEntries(faultPlaces.map((place) => [place, 0])) as Record<FaultPlace, number>;
  const proof: FaultProof = { mails: 0, faults: counts, failedCalls: 0, problems: [] };
  const receipts = new Map<string, string>();
  const unanswered = new Set<string>();
  try {
    const parts = partsOver({ store: store.team, decisions: store.decisions });
    const team = createTeam({ ...parts, senders: () => new Map() });
    for (const id of ['worker', 'boss']) await team.members.add(NewMember.parse({ id }));
    const faulty = { ...parts, store: faultyStore(store.team, counts) };
    const { call } = teamCalls({
      team: createTeam({ ...faulty, senders: () => new Map() }),
      parts: faulty,
      clock: { ...instantClock, time: 0 },
    });
    while (counts['between mail and event'] < faults) {
      await Promise.all(Array.from({ length: atOnce }, () => sendUntilAccepted(proof.mails++)));
    }

    async function sendUntilAccepted(index: number): Promise<void> {
      const input = { toAgentId: 'boss', subject: `mail ${index}`, body: 'Text.' };
      const key = index % 2 === 0 ? `key ${index}` : undefined;
      for (let calls = 1; ; calls += 1) {
        try {
          const { mailId } = await call('worker', 'mcp__mail__send', input, key);
          receipts.set(input.subject, String(mailId));
          return;
        } catch (error) {
          if (!String(error).includes('TRANSIENT_ERROR') || calls === maxCalls) throw error;
          proof.failedCalls += 1;
          if (key === undefined) return void unanswered.add(input.subject);
        }
      }
    }
  } finally {
    await store.close();
  }
  proof.problems = firstProblems(await findProblems({ db, folder: '' }, { receipts, unanswered }));
  return proof;
}

const instantClock: Clock = { now: () => Date.now(), sleep: async () => {} };

function partsOver(stores: Pick<TeamParts, 'store' | 'decisions'>): TeamParts {
  return {
    ...stores,
    clock: instantClock,
    logger: silentLogger,
    redact: (text) => text,
    scopeOf: async () => undefined,
    settings: {
      permissions: resolvePermissions(),
      eventTargets: [],
      stalledAfterMs: 1_800_000,
      waitingAfterMs: 86_400_000,
      escalationWindowMs: 600_000,
      reconcileEveryMs: 30_000,
    },
  };
}

/** More than half of its transactions fail, so that some calls fail in all of their attempts. */
function faultyStore(store: TeamStore, counts: Record<FaultPlace, number>): TeamStore {
  return {
    ...store,
    async write(run) {
      const chosen = Math.random() < 0.6 ? choosePlace() : undefined;
      const failAt = (place: FaultPlace) => {
        if (place !== chosen) return;
        counts[place] += 1;
        throw transientError();
      };
      const result = await store.write(async (rows) => {
        const answer = await run({
          ...rows,
          async addMail(mail) {
            failAt('before the mail');
            return rows.addMail(mail);
          },
          async addEvent(event, targets) {
            failAt('between mail and event');
            await rows.addEvent(event, targets);
            failAt('after the event');
          },
          async keepAnswer(owner, key, text) {
            await rows.keepAnswer(owner, key, text);
            failAt('at the answer of the key');
          },
        });
        failAt('before the commit');
        return answer;
      });
      failAt('after the commit');
      return result;
    },
  };
}

function choosePlace(): FaultPlace {
  const any = faultPlaces[Math.floor(Math.random() * faultPlaces.length)];
  return Math.random() < 0.5 || any === undefined ? 'between mail and event' : any;
}

function transientError(): Error {
  const errors = [
    new Error('Connection terminated unexpectedly'),
    new Error('query timeout'),
    new HubError('TRANSIENT_ERROR', 'The database stays busy.'),
  ];
  return errors[Math.floor(Math.random() * errors.length)] ?? new Error('network');
}

async function findProblems(
  place: ProofPlace,
  { receipts, unanswered }: { receipts: ReadonlyMap<string, string>; unanswered: ReadonlySet<string> },
): Promise<string[]> {
  const { mails, events, keys, calls } = await readTables(place, async (db) => ({
    mails: await db.selectFrom('mails').select(['id', 'subject', 'escalation']).execute(),
    events: await db.selectFrom('events').select('data').execute(),
    keys: await db.selectFrom('idempotency_keys').select(['key', 'answer']).execute(),
    calls: await readDecisions(db),
  }));
  const sent = mails.filter(({ escalation }) => escalation === null);
  const subjects = countBy(sent, ({ subject }) => subject);
  const ids = new Map(sent.map(({ id, subject }) => [subject, id]));
  const eventsOf = countBy(events, ({ data }) => String(JSON.parse(data).mailId));
  const mailIds = new Set(mails.map(({ id }) => id));
  const outcomes = countBy(calls, ({ callId, kind }) => `${callId} ${kind === 'invocation' ? 'begin' : 'end'}`);
  return [
    ...[...receipts].filter(([subject]) => !subjects.has(subject)).map(([subject]) => `"${subject}" is lost`),
    ...[...receipts]
      .filter(([subject, id]) => ids.get(subject) !== id)
      .map(([subject]) => `"${subject}" has another id`),
    ...[...subjects].filter(([, times]) => times > 1).map(([subject, times]) => `"${subject}" is there ${times} times`),
    ...[...subjects.keys()]
      .filter((subject) => !receipts.has(subject) && !unanswered.has(subject))
      .map((subject) => `"${subject}" was never accepted`),
    ...mails
      .filter(({ id }) => eventsOf.get(id) !== 1)
      .map(({ subject, id }) => `"${subject}" has ${eventsOf.get(id) ?? 0} events`),
    ...[...eventsOf.keys()].filter((id) => !mailIds.has(id)).map((id) => `an event tells of ${id}, which is not there`),
    ...keys.filter(({ answer }) => answer === null).map(({ key }) => `"${key}" has no answer`),
    ...[...outcomes].filter(([, times]) => times !== 1).map(([call, times]) => `${call} is ${times} times in the log`),
  ];
}
