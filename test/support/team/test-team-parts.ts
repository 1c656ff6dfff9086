import { type Logger, silentLogger } from '../../../src/base/logger.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Member, StoredMember } from '../../../src/team/members/member.ts';
import { toMember } from '../../../src/team/members/roster.ts';
import type { TeamParts, TeamSettings } from '../../../src/team/team-parts.ts';
import { Task } from '../../../src/team/work/work.ts';
import type { databaseKinds } from '../databases/test-database.ts';
import { openTestStores, type TestStores } from '../databases/test-store.ts';
import { type SteppedClock, steppedClock } from '../time/stepped-clock.ts';

export interface TestTeamParts {
  stores: TestStores;
  clock: SteppedClock;
  parts: TeamParts;
  /** The same database, opened a second time as another process would. */
  other: TeamParts;
  addMember(id: string, fields?: Partial<StoredMember>): Promise<Member>;
  addTask(id: string, fields?: Partial<Task>): Promise<Task>;
  /** Logs a call of a member. */
  noteCall(agentId: string): Promise<void>;
}

/** The secret that is removed from every text. */
export const plantedSecret = 'planted-secret-1';

/** Opens a team's parts on a real database, with a clock that only tests advance. */
export async function openTestTeamParts(
  kind: (typeof databaseKinds)[number],
  settings: Partial<TeamSettings> = {},
): Promise<TestTeamParts> {
  const stores = await openTestStores(kind);
  const clock = steppedClock();
  const partsOf = (store: Store): TeamParts => ({
    store: store.team,
    decisions: store.decisions,
    clock,
    logger: silentLogger,
    redact: (text) => text.replaceAll(plantedSecret, '[removed]'),
    scopeOf: async () => undefined,
    settings: {
      permissions: { SUPERVISOR: noRules, ORCHESTRATOR: noRules, WORKER: noRules },
      eventTargets: [],
      stalledAfterMs: 30 * 60_000,
      waitingAfterMs: 24 * 3_600_000,
      escalationWindowMs: 10 * 60_000,
      reconcileEveryMs: 30_000,
      ...settings,
    },
  });
  const parts = partsOf(stores.store);
  const now = () => new Date(clock.now()).toISOString();
  return {
    stores,
    clock,
    parts,
    other: partsOf(stores.other),
    async addMember(id, fields = {}) {
      const member: StoredMember = {
        id,
        agent: null,
        type: 'WORKER',
        state: 'IDLE',
        supervisorId: null,
        currentEpicId: null,
        currentTaskId: null,
        tmuxSessionName: null,
        tokenHash: null,
        createdAt: now(),
        updatedAt: now(),
        ...fields,
      };
      await parts.store.write((rows) => rows.addMember(member));
      return toMember(member, undefined);
    },
    async addTask(id, fields = {}) {
      const times = { createdAt: now(), updatedAt: now(), stateSince: now(), completedAt: null };
      const links = { worktreePath: null, branchName: null, prUrl: null };
      const references = { assigneeId: null, createdBy: null, epicId: null };
      const task = Task.parse({
        id,
        title: `Task ${id}`,
        description: '',
        state: 'PENDING',
        priority: 'normal',
        dueDate: null,
        labels: [],
        comments: 0,
        ...times,
        ...links,
        ...references,
        ...fields,
      });
      await parts.store.write((rows) => rows.addTask(task));
      return task;
    },
    async noteCall(agentId) {
      await parts.decisions.append({
        callId: `call_${agentId}_${clock.now()}`,
        kind: 'invocation',
        at: clock.now(),
        surface: 'http',
        agentId,
        persona: null,
        taskId: null,
        tool: 'mcp__agent__get_status',
        decision: 'Invoked tool: mcp__agent__get_status',
        reasoning: 'Automatic tool invocation log',
        context: '{}',
      });
    },
  };
}

const noRules = { allow: [], deny: [] };

export interface CapturedLogger extends Logger {
  messages: string[];
}

export function capturedLogger(): CapturedLogger {
  const messages: string[] = [];
  const note = (_fields: object, message: string) => void messages.push(message);
  return { messages, debug: note, info: note, warn: note, error: note };
}
