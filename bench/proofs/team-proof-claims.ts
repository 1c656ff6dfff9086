import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { human } from '../../src/team/members/member.ts';
import { NewTask } from '../../src/team/work/work.ts';
import { readDecisions } from '../../test/support/databases/test-decision.ts';
import {
  childEnv,
  countBy,
  firstProblems,
  openProofHub,
  type ProofPlace,
  prepareTeam,
  readTables,
} from './team-proof-parts.ts';

export interface ClaimProof {
  tasks: number;
  completed: number;
  /** Claims that were answered, over both processes. */
  claims: number;
  /** Tasks that the hub took from members it heard nothing of. */
  returned: number;
  /** Tasks that members of the killed process held when it was killed. */
  heldAtKill: number;
  problems: string[];
}

const claimerScript = fileURLToPath(new URL('../../test/support/team/team-claimer.ts', import.meta.url));
const settings = '[team]\nstalled_after_secs = 2\nreconcile_every_secs = 1\n';
/** Nothing at all happens for so long: what is left is stranded. */
const strandedMs = 60_000;

/** Two processes with many claimers each; one is killed with no warning amid its work. The other must finish everything. */
export async function claimFromProcesses(
  options: ProofPlace & { tasks: number; claimers: number },
): Promise<ClaimProof> {
  const { folder, tasks, claimers } = options;
  const names = ['one', 'two'];
  const members = names.flatMap((name) => [
    { id: `${name}-lead`, type: 'SUPERVISOR' as const },
    ...Array.from({ length: claimers }, (_, index) => ({ id: `${name}-${index}`, supervisorId: `${name}-lead` })),
  ]);
  await prepareTeam({ ...options, members, settings });
  await addTasks(folder, tasks);
  const lines: string[] = [];
  const killAt = Math.ceil(tasks * (0.1 + 0.3 * Math.random()));
  const killed = startClaimer(folder, 'one', claimers, (line) => {
    lines.push(line);
    return line.startsWith('claimed') && lines.filter((each) => each.startsWith('claimed one')).length >= killAt;
  });
  const surviving = startClaimer(folder, 'two', claimers, (line) => {
    lines.push(line);
    return false;
  });
  await killed;
  const heldAtKill = (await heldTasks(options)).filter(({ assignee_id }) => assignee_id?.startsWith('one-')).length;
  await surviving;
  return { ...(await check(options, lines)), tasks, heldAtKill };
}

async function addTasks(folder: string, tasks: number): Promise<void> {
  const hub = await openProofHub(folder);
  for (let made = 0; made < tasks; made += 1)
    await hub.team.tasks.create(human, NewTask.parse({ title: `Task ${made}` }));
  await hub.close();
}

/** Ends when the process does: by itself, killed by `isOver`, or killed because nothing happens any more. */
async function startClaimer(
  folder: string,
  name: string,
  claimers: number,
  isOver: (line: string) => boolean,
): Promise<void> {
  const child = spawn(process.execPath, [claimerScript, folder, name, String(claimers)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: childEnv,
  });
  const exited = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  let timer = setTimeout(kill, strandedMs);
  for await (const line of createInterface({ input: child.stdout })) {
    clearTimeout(timer);
    timer = setTimeout(kill, strandedMs);
    if (isOver(line)) kill();
  }
  clearTimeout(timer);
  const [code, signal] = await exited;
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`Process ${name} of the proof ended with ${code}.`);
}

function heldTasks(place: ProofPlace) {
  return readTables(place, (db) =>
    db.selectFrom('tasks').select(['id', 'assignee_id']).where('state', '=', 'IN_PROGRESS').execute(),
  );
}

async function check(place: ProofPlace, lines: readonly string[]): Promise<Omit<ClaimProof, 'tasks' | 'heldAtKill'>> {
  const { tasks, comments, rows } = await readTables(place, async (db) => ({
    tasks: await db.selectFrom('tasks').select(['id', 'state', 'assignee_id']).execute(),
    comments: await db.selectFrom('task_comments').select(['task_id', 'author_id']).execute(),
    rows: (await readDecisions(db)).filter(({ tool }) =>
      ['mcp__task__update_status', 'mcp__epic__approve_task'].includes(tool),
    ),
  }));
  const said = lines.map((line) => line.split(' '));
  const printed = countBy(
    said.filter(([word]) => word === 'claimed'),
    ([, , task = '']) => task,
  );
  // The hub itself comments on what it returns.
  const returns = countBy(
    comments.filter(({ author_id }) => author_id === null),
    ({ task_id }) => task_id,
  );
  const results = rows.flatMap(({ agentId, kind, context, tool }) => {
    if (kind !== 'result') return [];
    const { id, state, assigneeId } = JSON.parse(context) as Record<string, string>;
    return [{ member: agentId ?? '', tool, task: id ?? '', state: state ?? '', assignee: assigneeId ?? '' }];
  });
  const claims = results.filter(({ state }) => state === 'IN_PROGRESS');
  const logged = countBy(claims, ({ task }) => task);
  const reviewed = countBy(
    results.filter(({ state }) => state === 'REVIEW'),
    ({ task }) => task,
  );
  const completed = countBy(
    results.filter(({ state }) => state === 'COMPLETED'),
    ({ task }) => task,
  );
  const most = (id: string) => 1 + (returns.get(id) ?? 0);
  const isTooOften = ([id, times]: [string, number]) => times > most(id);
  const twice = ([, times]: [string, number]) => times > 1;
  const problems = [
    ...tasks.filter(({ state }) => state !== 'COMPLETED').map(({ id, state }) => `${id} is stranded in ${state}`),
    ...[...printed]
      .filter(isTooOften)
      .map(([id, times]) => `${id} was claimed ${times} times, and returned ${most(id) - 1}`),
    ...[...logged].filter(isTooOften).map(([id, times]) => `${id} is claimed ${times} times in the log`),
    ...[...printed]
      .filter(([id, times]) => times > (logged.get(id) ?? 0))
      .map(([id]) => `${id} was claimed without a row in the log`),
    ...claims
      .filter(({ member, assignee }) => member !== assignee)
      .map(({ task }) => `${task} was claimed for another`),
    ...[...reviewed].filter(twice).map(([id]) => `${id} came to REVIEW twice`),
    ...[...completed].filter(twice).map(([id]) => `${id} was completed twice`),
    ...twoAtOnce(said, returns),
  ];
  return {
    completed: tasks.filter(({ state }) => state === 'COMPLETED').length,
    claims: claims.length,
    returned: [...returns.values()].reduce((sum, times) => sum + times, 0),
    problems: firstProblems(problems),
  };
}

/** Nobody has two tasks in progress: who claims has brought the one before to REVIEW, or it was taken away. */
function twoAtOnce(said: readonly string[][], returns: ReadonlyMap<string, number>): string[] {
  const holding = new Map<string, string>();
  return said.flatMap(([word, member = '', task = '']) => {
    const held = holding.get(member);
    if (word === 'claimed') holding.set(member, task);
    else if (held === task) holding.delete(member);
    const isTwo = word === 'claimed' && held !== undefined && !returns.has(held);
    return isTwo ? [`${member} had ${held} when it claimed ${task}`] : [];
  });
}
