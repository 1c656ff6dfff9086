import { toIso } from '../../base/clock.ts';
import { closeCalls } from '../calls/close-calls.ts';
import { durationWords } from '../duration-words.ts';
import type { TeamParts } from '../team-parts.ts';
import { allTasks } from '../work/follow-task.ts';
import { mailWaitingTask, waitingKey, waitingReason, waitingStates } from '../work/waiting-tasks.ts';
import type { Task } from '../work/work.ts';
import { beatEveryMs, hubPresence, type PresentTime, presentTimes } from './hub-presence.ts';
import type { Member, StoredMember } from './member.ts';
import type { HealthReport, MemberHealth, RecoveryReport } from './members.contract.ts';
import { failStalledMember, silentFor } from './stalled-members.ts';

export interface TeamHealthOptions {
  /** How long the decision log is kept; for ever when it is missing. */
  keepDecisionsMs?: number | undefined;
  /** Deletes what else is old, by what it is; each is given the time of now. */
  alsoPrune?: Readonly<Record<string, (now: number) => Promise<unknown>>> | undefined;
}

const tasksPerWrite = 50;
const pruneEveryMs = 3_600_000;
/** Answers to idempotency keys, events that were delivered, and which mails were about which fault. */
const keepDeliveredMs = 7 * 24 * 3_600_000;

export function teamHealth(parts: TeamParts, options: TeamHealthOptions = {}) {
  const { clock, decisions, logger, settings, store } = parts;
  /** When a mail about a waiting task was sent or found: spares a transaction for each of them in every run. */
  let told = new Map<string, number>();
  let lastRun: Promise<unknown> = Promise.resolve();
  let prunedAt = Number.NEGATIVE_INFINITY;
  const presence = hubPresence(parts);
  const presentTime = presentTimes(parts);
  let isServing = false;

  return {
    async check(): Promise<HealthReport> {
      const [look, waiting, deliveries] = await Promise.all([
        lookAtMembers(),
        waitingTasks(),
        store.deliveries.count(),
      ]);
      const members = look.map(({ health }) => health);
      const isWell = members.every(({ isStalled, state }) => !isStalled && state !== 'FAILED');
      const isHealthy = isWell && waiting.length === 0 && deliveries.dead === 0;
      const tasks: HealthReport['tasks'] = waiting.map(({ task, reason }) => ({
        taskId: task.id,
        state: task.state,
        since: task.stateSince,
        reason,
      }));
      return { members, tasks, deliveries, isHealthy };
    },
    /** Notices what is stalled, returns its tasks, mails up the line, closes what a crash left open. */
    recover,
    /** It called: a FAILED member is IDLE again. Costs nothing for the others, never throws. */
    async noteAlive(member: Pick<Member, 'id' | 'state'>): Promise<void> {
      if (member.state !== 'FAILED') return;
      try {
        await store.write(async (rows) => {
          const stored = await rows.member(member.id);
          if (stored?.state === 'FAILED') await rows.changeMember(member.id, { state: 'IDLE' }, clock.now());
        });
      } catch (error) {
        logger.warn({ err: error, agentId: member.id }, 'a member that is back could not be marked so');
      }
    },
    /** Repeats `recover` until it is closed. */
    start(): { close(): Promise<void> } {
      const closing = new AbortController();
      isServing = true;
      const ended = Promise.all([repeat(closing.signal), keepBeating(presence, closing.signal)]);
      return {
        async close() {
          closing.abort();
          isServing = false;
          await ended;
        },
      };
    },
    /** Notes until it is closed that this process is there for the member, and for nobody else. */
    attend(memberId: string): { close(): Promise<void> } {
      const closing = new AbortController();
      const ended = keepBeating(hubPresence(parts, memberId), closing.signal);
      return {
        async close() {
          closing.abort();
          await ended;
        },
      };
    },
  };

  /** One at a time in this process; against others, the transactions see to it. */
  function recover(): Promise<RecoveryReport> {
    const run = lastRun.then(recoverOnce);
    lastRun = run.catch(() => {});
    return run;
  }

  async function repeat(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await attempt('what is stalled could not be recovered', recover);
      if (signal.aborted) return;
      await prune();
      await clock.sleep(settings.reconcileEveryMs, signal).catch(() => {});
    }
  }

  async function keepBeating({ beat }: ReturnType<typeof hubPresence>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await attempt('it could not be noted that the hub is there', beat);
      await clock.sleep(beatEveryMs(settings), signal).catch(() => {});
    }
  }

  async function prune(): Promise<void> {
    const now = clock.now();
    if (now - prunedAt < pruneEveryMs) return;
    prunedAt = now;
    // What was mailed must be known for as long as it is not to be mailed again.
    const keepMs = Math.max(keepDeliveredMs, 2 * settings.waitingAfterMs, 2 * settings.escalationWindowMs);
    await attempt('delivered events could not be deleted', () => store.deliveries.prune(now - keepMs));
    await attempt('handlers that are gone could not be deleted', () => store.subscribers.prune(now - keepMs));
    const { keepDecisionsMs, alsoPrune = {} } = options;
    if (keepDecisionsMs !== undefined)
      await attempt('old decisions could not be deleted', () => decisions.prune(now - keepDecisionsMs));
    for (const [what, pruneOld] of Object.entries(alsoPrune))
      await attempt(`old ${what} could not be deleted`, () => pruneOld(now));
  }

  async function attempt(complaint: string, run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
    } catch (error) {
      logger.error({ err: error }, complaint);
    }
  }

  async function recoverOnce(): Promise<RecoveryReport> {
    // Before anybody is judged: an absence that ends now must be known.
    if (isServing) await presence.beat();
    const { closedCalls, mails } = await closeCalls(parts);
    const report: RecoveryReport = { failedMembers: [], returnedTasks: [], closedCalls, mails };
    for (const { health } of await lookAtMembers()) {
      if (!health.isStalled) continue;
      const { agentId } = health;
      const returned = await store.write((rows) => failStalledMember({ ...parts, presentTime }, rows, agentId));
      if (returned.length === 0) continue;
      report.failedMembers.push(agentId);
      report.returnedTasks.push(...returned);
      report.mails += 1;
    }
    report.mails += await mailWaiting();
    return report;
  }

  async function lookAtMembers(): Promise<{ member: StoredMember; health: MemberHealth }[]> {
    const [members, inProgress, timeOf] = await Promise.all([
      store.members(),
      allTasks(store, { state: ['IN_PROGRESS'] }),
      presentTime(store),
    ]);
    const lastCalls = await decisions.lastCalls(members.map(({ id }) => id));
    const tasksOf = Map.groupBy(inProgress, (task) => task.assigneeId);
    return members.map((member) => {
      const lastCall = lastCalls.get(member.id);
      return { member, health: healthOf(member, { tasks: tasksOf.get(member.id) ?? [], lastCall, timeOf }) };
    });
  }

  function healthOf(
    member: StoredMember,
    { tasks, lastCall, timeOf }: { tasks: readonly Task[]; lastCall: number | undefined; timeOf: PresentTime },
  ): MemberHealth {
    const silentMs = silentFor(timeOf, { memberId: member.id, tasks, lastCall });
    const isStalled = silentMs > settings.stalledAfterMs;
    const failure = member.state === 'FAILED' ? 'marked as failed; its next call makes it IDLE' : null;
    return {
      agentId: member.id,
      type: member.type,
      state: member.state,
      currentTaskId: member.currentTaskId,
      lastActiveAt: lastCall === undefined ? null : toIso(lastCall),
      isStalled,
      reason: isStalled ? `no call for ${durationWords(silentMs)}` : failure,
    };
  }

  async function waitingTasks(): Promise<{ task: Task; reason: string }[]> {
    const [tasks, timeOf] = await Promise.all([allTasks(store, { state: waitingStates }), presentTime(store)]);
    return tasks.flatMap((task) => {
      const reason = waitingReason(settings, task, timeOf);
      return reason === undefined ? [] : [{ task, reason }];
    });
  }

  async function mailWaiting(): Promise<number> {
    const now = clock.now();
    const waiting = (await waitingTasks()).map(({ task }) => ({ id: task.id, key: waitingKey(task) }));
    const isTold = (key: string) =>
      Math.abs(now - (told.get(key) ?? Number.NEGATIVE_INFINITY)) <= settings.waitingAfterMs;
    const due = waiting.filter(({ key }) => !isTold(key));
    let mails = 0;
    for (let start = 0; start < due.length; start += tasksPerWrite) {
      const some = due.slice(start, start + tasksPerWrite);
      mails += await store.write(async (rows) => {
        let sent = 0;
        for (const { id } of some) if (await mailWaitingTask({ ...parts, presentTime }, rows, id)) sent += 1;
        return sent;
      });
    }
    for (const { key } of due) told.set(key, now);
    told = new Map(waiting.map(({ key }) => [key, told.get(key) ?? now]));
    return mails;
  }
}
