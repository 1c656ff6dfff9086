import type { DemoCall } from './demo-team.ts';

const queries = ['roll back a release', 'refund above the limit', 'results are old', 'during an incident', 'on call'];

/** Everyday calls of members and clients: many by day, few by night, and the same in every run. */
export function demoCalls(epics: ReadonlyMap<string, string>): DemoCall[] {
  const random = randomFrom(7);
  const pick = <T>(items: readonly [T, ...T[]]): T => items[Math.floor(random() * items.length)] ?? items[0];
  const calls: DemoCall[] = [];
  for (let at = 1_530; at > 2; at -= 1 + random() * restAt(at)) {
    const who = pick(callers);
    const tool = pick(who.tools);
    // This member has stalled, and the hub has noticed.
    if (who.member === 'responder-1' && at < 186) continue;
    calls.push({ at, ...who, tool, input: inputs(tool) });
  }
  // Busy members have called recently.
  for (const at of [155, 21, 10]) {
    for (const { member, tools } of callers) {
      const tool = pick(tools);
      if (member && member !== 'responder-1') calls.push({ at: at - 8 * random(), member, tool, input: inputs(tool) });
    }
  }
  return calls;

  function inputs(tool: string): object {
    if (tool === 'search') return { query: pick(queries as unknown as [string, ...string[]]), limit: 3 };
    if (tool === 'mcp__epic__list_tasks') return { epicId: epics.get(pick(['refunds', 'search'])) };
    if (tool === 'run_checks') return { branch: pick(['refunds/pays-once', 'search/age-on-page']) };
    if (tool === 'agent_zoo_query_brain_entries') return { agentId: 'code-reviewer' };
    return {};
  }
}

/** A call of each member that has not stalled. */
export function everydayCalls(): Pick<DemoCall, 'member' | 'tool'>[] {
  return callers.flatMap(({ member, tools: [tool] }) => (member && member !== 'responder-1' ? [{ member, tool }] : []));
}

type Caller = Pick<DemoCall, 'member' | 'agent'> & { tools: readonly [string, ...string[]] };

const status = 'mcp__agent__get_status';
const inbox = 'mcp__mail__list_inbox';
const callers: readonly [Caller, ...Caller[]] = [
  { member: 'lead', tools: ['mcp__orchestrator__check_health', 'mcp__orchestrator__list_members', inbox] },
  { member: 'planner', tools: ['mcp__task__list', 'mcp__epic__get_review_queue', 'mcp__epic__list_tasks', inbox] },
  { member: 'reviewer-1', tools: [status, inbox, 'search', 'agent_zoo_query_brain_entries'] },
  { member: 'tester-1', tools: [status, inbox, 'run_checks', 'run_checks'] },
  { member: 'auditor-1', tools: [status, inbox] },
  { member: 'writer-1', tools: [status, inbox] },
  { member: 'responder-1', tools: [status, inbox, 'search'] },
  { agent: 'code-reviewer', tools: ['search', 'agent_zoo_query_brain_entries'] },
  { agent: 'incident-responder', tools: ['search'] },
  { tools: ['agent_zoo_list_agents', 'search'] },
];

/** Average minutes between two calls. Nights are quiet. */
function restAt(minutesAgo: number): number {
  const isNight = minutesAgo > 560 && minutesAgo < 1_040;
  return isNight ? 26 : 7 + 5 * Math.sin(minutesAgo / 90);
}

/** Returns reproducible numbers between 0 and 1. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
