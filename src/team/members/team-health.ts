import { toIso } from '../../base/clock.ts';
import { durationWords } from '../../base/duration-words.ts';
import { closeCalls } from '../calls/close-calls.ts';
import type { TeamParts } from '../team-parts.ts';
import { allTasks } from '../work/follow-task.ts';
import { mailWaitingTask, waitingKey, waitingReason, waitingStates } from '../work/waiting-tasks.ts';
import type { Task } from '../work/work.ts';
import { beatEveryMs, hubPresence, type PresentTime, presentTimes } from './hub-presence.ts';
import type { Member, StoredMember } from './member.ts';
import type { HealthReport, MemberHealth, RecoveryReport } from './members.contract.ts';
import { failStalledMember, silentFor } from './stalled-members.ts';

export interface TeamHealthOptions {
  /** How long decisions are kept; forever if undefined. */
  keepDecisionsMs?: (() => number | undefined) | undefined;
  /** Deletes other old data. The keys name the data in log messages. */
  alsoPrune?: Readonly<Record<string, (now: number) => Promise<unknown>>> | undefined;
  /** Describes how long data is kept. When it changes, old data is deleted without waiting for the hour. */
  retention?: (() => string) | undefined;
  /** Ends other work that a process left behind when it ended. The keys name the work in log messages. */
  alsoEnd?: Readonly<Record<string, () => Promise<unknown>>> | undefined;
}

const tasksPerWrite = 50;
const pruneEveryMs = 3_600_000;
/** How long delivered events, answers to idempotency keys, and records of escalations are kept. */
const keepDeliveredMs = 7 * 24 * 3_600_000;

export function teamHealth(parts: TeamParts, options: TeamHealthOptions = {}) {
  const { clock, decisions, logger, settings, store } = parts;
  /** When each waiting task was last found to be mailed. Saves a transaction per task in every run. */
  let mailedAt = new Map<string, number>();
  let lastRun: Promise<unknown> = Promise.resolve();
  let prunedAt = Number.NEGATIVE_INFINITY;
  let prunedFor: string | undefined;
  const presence = hubPresence(parts);
  const presentTime = presentTimes(parts);
  let isServing = false;
  /** Counts changes of the team while serving. */
  let changes = 0;
  /** The count when a recovery found no members and no open tasks: until it grows, there is nothing to look for. */
  let emptyAt: number | undefined;

  return {
    async check(): Promise<HealthReport> {
      const [checked, waiting, deliveries] = await Promise.all([
        checkMembers(),
        tasksThatMayWait().then(waitingAmong),
        store.deliveries.count(),
      ]);
      const members = checked.map(({ health }) => health);
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
    /** Fails stalled members, returns their tasks, mails their supervisors, and closes calls that a crash left open. */
    recover,
    /** Makes a FAILED member IDLE again after a call. Never throws. */
    async noteAlive(member: Pick<Member, 'id' | 'state'>): Promise<void> {
      if (member.state !== 'FAILED') return;
      try {
        await store.write(async (rows) => {
          const stored = await rows.member(member.id);
          if (stored?.state === 'FAILED') await rows.changeMember(member.id, { state: 'IDLE' }, clock.now());
        });
      } catch (error) {
        logger.warn({ err: error, agentId: member.id }, 'could not mark a returning member as IDLE');
      }
    },
    /** Repeats `recover` until closed. */
    start(): { close(): Promise<void> } {
      const closing = new AbortController();
      isServing = true;
      const stopWatching = store.watch(() => {
        changes += 1;
      });
      const ended = Promise.all([repeat(closing.signal), keepBeating(presence, closing.signal)]);
      return {
        async close() {
          closing.abort();
          stopWatching();
          emptyAt = undefined;
          isServing = false;
          await ended;
        },
      };
    },
    /** Records until closed that this process serves the member, and nobody else. */
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

  /** Runs one recovery at a time in this process. Transactions keep other processes from interfering. */
  function recover(): Promise<RecoveryReport> {
    const run = lastRun.then(recoverOnce);
    lastRun = run.catch(() => {});
    return run;
  }

  async function repeat(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await attempt('could not recover stalled work', recover);
      for (const [what, end] of Object.entries(options.alsoEnd ?? {})) {
        if (signal.aborted) return;
        await attempt(`could not end ${what} of processes that are gone`, end);
      }
      if (signal.aborted) return;
      await prune();
      await clock.sleep(settings.reconcileEveryMs, signal).catch(() => {});
    }
  }

  async function keepBeating({ beat }: ReturnType<typeof hubPresence>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await attempt('could not record that the hub is running', beat);
      await clock.sleep(beatEveryMs(settings), signal).catch(() => {});
    }
  }

  async function prune(): Promise<void> {
    const now = clock.now();
    const retention = options.retention?.();
    if (now - prunedAt < pruneEveryMs && retention === prunedFor) return;
    prunedAt = now;
    prunedFor = retention;
    // Records of mails must outlast the time in which they suppress another mail.
    const keepMs = Math.max(keepDeliveredMs, 2 * settings.waitingAfterMs, 2 * settings.escalationWindowMs);
    await attempt('could not delete delivered events', () => store.deliveries.prune(now - keepMs));
    await attempt('could not delete handlers that are gone', () => store.subscribers.prune(now - keepMs));
    const { alsoPrune = {} } = options;
    const keepDecisionsMs = options.keepDecisionsMs?.();
    if (keepDecisionsMs !== undefined)
      await attempt('could not delete old decisions', () => decisions.prune(now - keepDecisionsMs));
    for (const [what, pruneOld] of Object.entries(alsoPrune))
      await attempt(`could not delete old ${what}`, () => pruneOld(now));
  }

  async function attempt(complaint: string, run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
    } catch (error) {
      logger.error({ err: error }, complaint);
    }
  }

  async function recoverOnce(): Promise<RecoveryReport> {
    // First, because an absence that ends now must be recorded before members are judged.
    if (isServing) await presence.beat({ ifDue: true });
    const { closedCalls, mails } = await closeCalls(parts);
    const report: RecoveryReport = { failedMembers: [], returnedTasks: [], closedCalls, mails };
    if (emptyAt === changes) return report;
    // Before the rows are read, so that a change meanwhile is not missed.
    const seen = changes;
    const checked = await checkMembers();
    for (const { health } of checked) {
      if (!health.isStalled) continue;
      const { agentId } = health;
      const returned = await store.write((rows) => failStalledMember({ ...parts, presentTime }, rows, agentId));
      if (returned.length === 0) continue;
      report.failedMembers.push(agentId);
      report.returnedTasks.push(...returned);
      report.mails += 1;
    }
    const tasks = await tasksThatMayWait();
    report.mails += await mailWaiting(tasks);
    emptyAt = isServing && checked.length === 0 && tasks.length === 0 ? seen : undefined;
    return report;
  }

  async function checkMembers(): Promise<{ member: StoredMember; health: MemberHealth }[]> {
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
    const failure = member.state === 'FAILED' ? 'failed; its next call makes it IDLE' : null;
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

  function tasksThatMayWait(): Promise<Task[]> {
    return allTasks(store, { state: waitingStates });
  }

  async function waitingAmong(tasks: readonly Task[]): Promise<{ task: Task; reason: string }[]> {
    if (tasks.length === 0) return [];
    const timeOf = await presentTime(store);
    return tasks.flatMap((task) => {
      const reason = waitingReason(settings, task, timeOf);
      return reason === undefined ? [] : [{ task, reason }];
    });
  }

  async function mailWaiting(tasks: readonly Task[]): Promise<number> {
    const now = clock.now();
    const waiting = (await waitingAmong(tasks)).map(({ task }) => ({ id: task.id, key: waitingKey(task) }));
    const isMailed = (key: string) =>
      Math.abs(now - (mailedAt.get(key) ?? Number.NEGATIVE_INFINITY)) <= settings.waitingAfterMs;
    const due = waiting.filter(({ key }) => !isMailed(key));
    let mails = 0;
    for (let start = 0; start < due.length; start += tasksPerWrite) {
      const some = due.slice(start, start + tasksPerWrite);
      mails += await store.write(async (rows) => {
        let sent = 0;
        for (const { id } of some) if (await mailWaitingTask({ ...parts, presentTime }, rows, id)) sent += 1;
        return sent;
      });
    }
    for (const { key } of due) mailedAt.set(key, now);
    mailedAt = new Map(waiting.map(({ key }) => [key, mailedAt.get(key) ?? now]));
    return mails;
  }
}
