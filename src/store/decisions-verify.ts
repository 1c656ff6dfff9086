import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Selectable } from 'kysely';
import type { LogWork, VerifyReport } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { hashOf, type KeptDecision, packEntry } from './decisions-chain.ts';
import { readBounds } from './decisions-note.ts';
import type { DecisionChainRow } from './tables.ts';

/** What is read and compared in one turn of the event loop: some milliseconds' worth, also of the longest entries. */
const rowsAtOnce = 512;
const mostProblems = 100;
const mostWalks = 5;

type Chain = Selectable<DecisionChainRow>;
type Problem = VerifyReport['problems'][number];

interface Row extends KeptDecision {
  seq: number;
  chain: string;
  no: number;
  hash: string | null;
}

/** Where the walk through the rows stands in a chain. */
interface Walk {
  no: number;
  /** The last one that was read. */
  hash: string;
  /** Entries behind it, which the next one covers. */
  text: string;
  firstNo: number;
  firstSeq: number;
  /** Some of what the next hash covers are missing or were added. */
  isGap: boolean;
  /** A row did not fit: what follows from it is not said again. */
  isBroken: boolean;
}

/**
 * One walk through all rows in the order of writing; a chain's own rows are in it in their order. Rows may be written
 * meanwhile: what a chain says is read before and after, and the rows must end in between.
 */
export async function verifyDecisions(database: Database, work: LogWork = {}): Promise<VerifyReport> {
  for (let walks = 1; ; walks += 1) {
    const before = await readChains(database);
    const walk = await walkRows(database, before, work);
    const after = await readChains(database);
    // What was deleted during the walk was perhaps not seen; it is not missing.
    if (wasPruned(before, after) && walks < mostWalks) continue;
    const problems = [...walk.problems, ...endProblems(walk.walks, before, after)];
    return { rows: walk.rows, chains: walk.walks.size, problems: problems.slice(0, mostProblems) };
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
  // Behind the mark another process may still be writing into a gap, and the chains do not know of what is there yet.
  const { mark: newest } = await readBounds(database);
  for await (const slice of slicesOf(database, newest)) {
    for (const row of slice) {
      rows += 1;
      if (row.chain === '') continue;
      const problem = step(walks, chains, row);
      if (problem && problems.length < mostProblems) problems.push(problem);
    }
    signal?.throwIfAborted();
    onProgress?.({ phase: 'verify', done: rows, total: Math.max(rows, total) });
  }
  return { rows, walks, problems };
}

/** While one is compared, PostgreSQL reads the next; between two of them others have their turn. */
async function* slicesOf(database: Database, newest: number): AsyncGenerator<Row[]> {
  let next = readRows(database, { after: 0, newest });
  for (;;) {
    const slice = await next;
    const last = slice.length === rowsAtOnce ? slice.at(-1) : undefined;
    if (last) {
      next = readRows(database, { after: last.seq, newest });
      // Whoever waits for it hears of its failure; when nobody wants to know any more, nobody does.
      next.catch(() => {});
    }
    if (slice.length > 0) yield slice;
    if (!last) return;
    await nextTurn();
  }
}

function readRows(database: Database, { after, newest }: Record<'after' | 'newest', number>): Promise<Row[]> {
  return database.read((db) =>
    db
      .selectFrom('decisions')
      .select(['seq', 'chain', 'no', 'hash', 'at', 'kind', 'call_id as callId', 'surface', 'agent_id as agentId'])
      .select(['persona', 'task_id as taskId', 'tool', 'decision', 'reasoning', 'context'])
      .where('seq', '>', after)
      .where('seq', '<=', newest)
      .orderBy('seq')
      .limit(rowsAtOnce)
      .execute(),
  );
}

function step(walks: Map<string, Walk>, chains: ReadonlyMap<string, Chain>, row: Row): Problem | undefined {
  const walk = walks.get(row.chain) ?? startOf(chains.get(row.chain));
  walks.set(row.chain, walk);
  const { chain, no: chainNo, seq, hash } = row;
  const expected = walk.no + 1;
  walk.no = chainNo;
  if (walk.text === '' || chainNo !== expected) Object.assign(walk, { text: '', firstNo: chainNo, firstSeq: seq });
  walk.text += packEntry(row);
  let message: string | undefined;
  if (chainNo > expected) {
    message = `Before entry ${seq} (number ${chainNo} of ${chain}) ${chainNo - expected} are missing.`;
    walk.isGap = true;
  } else if (chainNo < expected) {
    message = `Entry ${seq} is number ${chainNo} of ${chain}, which came already: it was added later.`;
    walk.isGap = true;
  }
  if (hash !== null) {
    // Without all that it covers, a hash proves nothing.
    if (!walk.isGap && hash !== hashOf(walk.hash, chain, walk.firstNo, walk.text)) message = doesNotFit(walk, row);
    Object.assign(walk, { hash, text: '', isGap: false });
  }
  if (message === undefined) return undefined;
  walk.isBroken = true;
  return { chain, chainNo: walk.firstNo, seq: walk.firstSeq, message };
}

function doesNotFit({ firstNo, firstSeq }: Walk, { chain, no, seq }: Row): string {
  const which =
    no === firstNo
      ? `Entry ${seq} (number ${no} of ${chain})`
      : `Of the entries ${firstSeq} to ${seq} (numbers ${firstNo} to ${no} of ${chain}) one`;
  return `${which} does not fit its hash: it, or the one before it, was changed.`;
}

/** A chain that nobody wrote down yet begins with 1; whether it is known is looked at in the end. */
function startOf(chain: Chain | undefined): Walk {
  const [no, hash] = chain ? [chain.first_no - 1, chain.hash_before_first] : [0, ''];
  return { no, hash, text: '', firstNo: no + 1, firstSeq: 0, isGap: false, isBroken: false };
}

function wasPruned(before: ReadonlyMap<string, Chain>, after: ReadonlyMap<string, Chain>): boolean {
  return [...before.values()].some((chain) => after.get(chain.chain)?.first_no !== chain.first_no);
}

/** Rows that end before their chain was at the start of the walk are missing; those behind its end now were added. */
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
    // A chain whose writer is there, or was killed, says a moment later how far it goes.
    else if (walk.no > end.last_no && end.closed_at !== null)
      problem(`The chain ${chain} has entries behind its end, number ${end.last_no}.`);
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
