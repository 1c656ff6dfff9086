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
import { readCuts } from './log-cuts.store.ts';
import { keyIdOf } from './log-key.ts';
import type { KnownProof } from './log-proof.ts';
import { compareAnchors, describeProof } from './verify-proof.ts';

const maxProblems = 100;
const maxWalks = 5;

type VerifiedChain = Selectable<DecisionChainRow>;
type Problem = VerifyReport['problems'][number];

/** The progress of the walk within a chain. */
interface Walk {
  no: number;
  hash: string;
  /** The number of entries that were read. */
  rows: number;
  /** The key of its first group; all others must have the same. Undefined for a chain without a key. */
  keyId: string | undefined;
  /** Whether a group did not match: consequences of that are not reported again. */
  isBroken: boolean;
  /** Whether the walk reached the anchored end of the chain and found it unchanged. */
  hasAnchor: boolean;
}

/**
 * Verifies the whole log in one walk in the order of writing, with the keys and anchors that are known here. Entries may be written
 * meanwhile, so the ends of the chains are read before and after, and the entries must end in between.
 */
export async function verifyDecisions(
  database: Database,
  proof: KnownProof,
  work: LogWork = {},
): Promise<VerifyReport> {
  for (let walks = 1; ; walks += 1) {
    const before = await readChains(database);
    const walk = await walkRows(database, { chains: before, proof }, work);
    const after = await readChains(database);
    // Entries that were pruned during the walk are not missing: walk again.
    if (wasPruned(before, after) && walks < maxWalks) continue;
    const found = [...walk.problems, ...endProblems(walk.walks, before, after)];
    const cuts = await readCuts(database, proof.keys);
    const later = (chain: string) => readLaterEnds(database, chain, walk.to);
    const compared = await compareAnchors({ proof, cuts, walks: walk.walks, chains: after, found, later });
    const problems = [...found, ...compared.problems].slice(0, maxProblems);
    const { rows, unchained, walks: chains } = walk;
    const words = describeProof({ proof, cuts, compared, walks: chains, unchained });
    return { rows, chains: chains.size, problems, ...words };
  }
}

async function readChains(database: Database): Promise<Map<string, VerifiedChain>> {
  const rows = await database.read((db) => db.selectFrom('decision_chains').selectAll().execute());
  return new Map(rows.map((row) => [row.chain, row]));
}

/** Returns the ends of a chain's groups that the walk did not read yet: their number and hash. */
async function readLaterEnds(database: Database, chain: string, after: number): Promise<Map<number, string>> {
  const rows = await database.read((db) =>
    db
      .selectFrom('decision_groups')
      .select(['first_no', 'row_count', 'hash'])
      .where('seq', '>', after)
      .where('chain', '=', chain)
      .execute(),
  );
  return new Map(rows.map(({ first_no, row_count, hash }) => [first_no + row_count - 1, hash]));
}

interface Verified {
  chains: ReadonlyMap<string, VerifiedChain>;
  proof: KnownProof;
}

async function walkRows(
  database: Database,
  verified: Verified,
  { signal, onProgress }: LogWork,
): Promise<{ rows: number; unchained: number; to: number; walks: Map<string, Walk>; problems: Problem[] }> {
  const walks = new Map<string, Walk>();
  const problems: Problem[] = [];
  const total = verified.chains.values().reduce((sum, chain) => sum + chain.last_no - chain.first_no + 1, 0);
  let rows = 0;
  let unchained = 0;
  signal?.throwIfAborted();
  // After the mark, another process may still fill a gap, and the chains do not include the newest groups yet.
  const { mark: to } = await database.read(readBounds);
  for await (const groups of walkSlices(database, { to, order: 'asc' })) {
    for (const group of groups) {
      rows += group.row_count;
      if (group.chain === '') {
        unchained += group.row_count;
        continue;
      }
      const problem = step(walks, verified, group);
      if (problem && problems.length < maxProblems) problems.push(problem);
    }
    signal?.throwIfAborted();
    onProgress?.({ phase: 'verify', done: rows, total: Math.max(rows, total) });
  }
  return { rows, unchained, to, walks, problems };
}

function step(walks: Map<string, Walk>, { chains, proof }: Verified, group: GroupRow): Problem | undefined {
  const walk = walks.get(group.chain) ?? startOf(chains.get(group.chain), group);
  walks.set(group.chain, walk);
  const expected = walk.no + 1;
  const { chain, first_no: chainNo, seq: groupSeq } = group;
  const isGap = chainNo !== expected;
  const fits = !isGap && fitsHash(walk, group, proof) && matchesEntries(group);
  walk.no = chainNo + group.row_count - 1;
  walk.hash = group.hash;
  walk.rows += group.row_count;
  const seq = groupSeq * maxInGroup;
  if (fits) return anchorProblem(walk, group, proof);
  walk.isBroken = true;
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

/** Checks the hash if this machine has the key that it was made with. */
function fitsHash(walk: Walk, group: GroupRow, { keys }: KnownProof): boolean {
  const keyId = keyIdOf(group.hash);
  if (keyId !== walk.keyId) return false;
  const key = keyId === undefined ? undefined : keys.get(keyId);
  if (keyId !== undefined && !key) return true;
  const { chain, first_no: firstNo, entries } = group;
  return group.hash === hashOf({ before: walk.hash, chain, firstNo, entries }, key);
}

/** Compares the anchored end of the chain, if it is in this group. */
function anchorProblem(walk: Walk, group: GroupRow, { anchors }: KnownProof): Problem | undefined {
  const head = anchors?.heads.get(group.chain);
  if (!head || head.no < group.first_no || head.no > walk.no) return undefined;
  walk.hasAnchor = head.no === walk.no && head.hash === group.hash;
  if (walk.hasAnchor || walk.isBroken) return undefined;
  walk.isBroken = true;
  const message = `Number ${head.no} of ${group.chain} is not the one that was anchored: the chain was rewritten.`;
  return { chain: group.chain, chainNo: head.no, seq: group.seq * maxInGroup, message };
}

/** Checks that the group's count and times match its entries. */
function matchesEntries(group: GroupRow): boolean {
  const times = headsOf(group.entries).map(({ at }) => at);
  const { row_count, first_at, last_at } = group;
  return times.length === row_count && Math.min(...times) === first_at && Math.max(...times) === last_at;
}

/** Returns the start of a chain. An unknown chain begins with 1; the end of the walk checks whether it is known by then. */
function startOf(chain: VerifiedChain | undefined, { hash }: GroupRow): Walk {
  const start = { no: chain ? chain.first_no - 1 : 0, hash: chain?.hash_before_first ?? '' };
  return { ...start, rows: 0, keyId: keyIdOf(hash), isBroken: false, hasAnchor: false };
}

function wasPruned(before: ReadonlyMap<string, VerifiedChain>, after: ReadonlyMap<string, VerifiedChain>): boolean {
  return [...before.values()].some((chain) => after.get(chain.chain)?.first_no !== chain.first_no);
}

/** Reports entries that are missing at the end of a chain, and entries after its end. */
function endProblems(
  walks: ReadonlyMap<string, Walk>,
  before: ReadonlyMap<string, VerifiedChain>,
  after: ReadonlyMap<string, VerifiedChain>,
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
