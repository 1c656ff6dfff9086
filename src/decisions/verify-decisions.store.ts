import type { Selectable } from 'kysely';
import type { Database } from '../db/database.ts';
import type { LogWork, VerifyReport } from '../tools/decision-log.ts';
import { hashOf } from './decision-chain.store.ts';
import {
  type DecisionChainRow,
  type GroupRow,
  headsOf,
  maxInGroup,
  readBounds,
  walkSlices,
} from './decision-groups.store.ts';

const maxProblems = 100;
const maxWalks = 5;

type Chain = Selectable<DecisionChainRow>;
type Problem = VerifyReport['problems'][number];

/** The progress of the walk within a chain. */
interface Walk {
  no: number;
  hash: string;
  /** Whether a group did not match: consequences of that are not reported again. */
  isBroken: boolean;
}

/**
 * Verifies the whole log in one walk in the order of writing. Entries may be written meanwhile, so the ends of the chains are read before
 * and after, and the entries must end in between.
 */
export async function verifyDecisions(database: Database, work: LogWork = {}): Promise<VerifyReport> {
  for (let walks = 1; ; walks += 1) {
    const before = await readChains(database);
    const walk = await walkRows(database, before, work);
    const after = await readChains(database);
    // Entries that were pruned during the walk are not missing: walk again.
    if (wasPruned(before, after) && walks < maxWalks) continue;
    const problems = [...walk.problems, ...endProblems(walk.walks, before, after)];
    return { rows: walk.rows, chains: walk.walks.size, problems: problems.slice(0, maxProblems) };
  }
}

async function readChains(database: Database): Promise<Map<string, Chain>> {
  const rows = await database.read((db) => db.selectFrom('decision_chains').selectAll().execute());
  return new Map(rows.map((row) => [row.chain, row]));
}

async function walkRows(
  database: Database,
  chains: ReadonlyMap<string, Chain>,
  { signal, onProgress }: LogWork,
): Promise<{ rows: number; walks: Map<string, Walk>; problems: Problem[] }> {
  const walks = new Map<string, Walk>();
  const problems: Problem[] = [];
  const total = chains.values().reduce((sum, chain) => sum + chain.last_no - chain.first_no + 1, 0);
  let rows = 0;
  signal?.throwIfAborted();
  // After the mark, another process may still fill a gap, and the chains do not include the newest groups yet.
  const { mark: to } = await database.read(readBounds);
  for await (const groups of walkSlices(database, { to, order: 'asc' })) {
    for (const group of groups) {
      rows += group.row_count;
      if (group.chain === '') continue;
      const problem = step(walks, chains, group);
      if (problem && problems.length < maxProblems) problems.push(problem);
    }
    signal?.throwIfAborted();
    onProgress?.({ phase: 'verify', done: rows, total: Math.max(rows, total) });
  }
  return { rows, walks, problems };
}

function step(walks: Map<string, Walk>, chains: ReadonlyMap<string, Chain>, group: GroupRow): Problem | undefined {
  const walk = walks.get(group.chain) ?? startOf(chains.get(group.chain));
  walks.set(group.chain, walk);
  const expected = walk.no + 1;
  const { chain, first_no: chainNo, seq: groupSeq } = group;
  const isGap = chainNo !== expected;
  const fits = !isGap && group.hash === hashOf(walk.hash, chain, chainNo, group.entries) && matchesEntries(group);
  walk.no = chainNo + group.row_count - 1;
  walk.hash = group.hash;
  if (fits) return undefined;
  walk.isBroken = true;
  const seq = groupSeq * maxInGroup;
  const one = group.row_count === 1;
  const which = one
    ? `Entry ${seq} (number ${chainNo} of ${chain})`
    : `One of the entries ${seq} to ${seq + group.row_count - 1} (numbers ${chainNo} to ${walk.no} of ${chain})`;
  const message = !isGap
    ? `${which} does not match its hash: it, or the one before it, was changed.`
    : chainNo > expected
      ? `${chainNo - expected} entries are missing before entry ${seq} (number ${chainNo} of ${chain}).`
      : `Entry ${seq} is number ${chainNo} of ${chain}, which exists already: it was added later.`;
  return { chain, chainNo, seq, message };
}

/** Checks that the group's count and times match its entries. */
function matchesEntries(group: GroupRow): boolean {
  const times = headsOf(group.entries).map(({ at }) => at);
  const { row_count, first_at, last_at } = group;
  return times.length === row_count && Math.min(...times) === first_at && Math.max(...times) === last_at;
}

/** Returns the start of a chain. An unknown chain begins with 1; the end of the walk checks whether it is known by then. */
function startOf(chain: Chain | undefined): Walk {
  return chain
    ? { no: chain.first_no - 1, hash: chain.hash_before_first, isBroken: false }
    : { no: 0, hash: '', isBroken: false };
}

function wasPruned(before: ReadonlyMap<string, Chain>, after: ReadonlyMap<string, Chain>): boolean {
  return [...before.values()].some((chain) => after.get(chain.chain)?.first_no !== chain.first_no);
}

/** Reports entries that are missing at the end of a chain, and entries after its end. */
function endProblems(
  walks: ReadonlyMap<string, Walk>,
  before: ReadonlyMap<string, Chain>,
  after: ReadonlyMap<string, Chain>,
): Problem[] {
  const problems: Problem[] = [];
  for (const [chain, walk] of walks) {
    const end = after.get(chain);
    const problem = (message: string) => problems.push({ chain, chainNo: walk.no, seq: null, message });
    if (!end) problem(`The chain ${chain} has entries, but is not in the list of chains.`);
    // While its writer runs, or after it was killed, a chain's end is recorded a moment later.
    else if (walk.no > end.last_no && end.closed_at !== null)
      problem(`The chain ${chain} has entries after its end, number ${end.last_no}.`);
    else if (walk.no === end.last_no && walk.hash !== end.last_hash && !walk.isBroken)
      problem(`The last entry of ${chain}, number ${walk.no}, is not the one that was written.`);
  }
  for (const [chain, start] of before) {
    const no = walks.get(chain)?.no ?? start.first_no - 1;
    if (no >= start.last_no) continue;
    const message = `At the end of ${chain}, ${start.last_no - no} entries are missing, from number ${no + 1} to ${start.last_no}.`;
    problems.push({ chain, chainNo: start.last_no, seq: null, message });
  }
  return problems;
}
