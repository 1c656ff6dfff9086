import type { Database } from '../../../src/db/database.ts';
import { DecisionChain, type IndexedBatch } from '../../../src/decisions/decision-chain.store.ts';
import { automaticWords, type DecisionEntry, type DecisionKind } from '../../../src/tools/decision-log.ts';

const groupsInWrite = 500;
const start = 1_790_000_000_000;

/** Writes a chain of a team's calls to the log, in groups as concurrent calls create them. The groups are not indexed. */
export async function fillLog(
  database: Database,
  { entries, inGroup = 8 }: { entries: number; inGroup?: number },
): Promise<void> {
  const chain = new DecisionChain({ now: start, holder: '' });
  let lastHash = '';
  for (let first = 0; first < entries; ) {
    let batch: IndexedBatch | undefined;
    for (let group = 0; group < groupsInWrite && first < entries; group += 1) {
      const count = Math.min(inGroup, entries - first);
      const next = chain.next(Array.from({ length: count }, (_, index) => entryAt(first + index)));
      batch = { ...next, after: batch ? batch.after : next.after, groups: [...(batch?.groups ?? []), ...next.groups] };
      first += count;
    }
    const written = batch;
    if (!written) return;
    const seq = await database.insertDecisions(() => written);
    if (seq === undefined) throw new Error('the chain is not as it was left');
    chain.inserted(seq);
    lastHash = written.groups.at(-1)?.hash ?? lastHash;
  }
  // The same as in a restored chain.
  const end = { last_no: entries, last_hash: lastHash };
  await database.write(({ db }) => db.updateTable('decision_chains').set(end).where('chain', '=', chain.id).execute());
}

/** Each call has two entries; some calls fail. */
function entryAt(index: number): DecisionEntry {
  const call = Math.floor(index / 2);
  const isFailed = call % 50 === 0;
  const kind: Exclude<DecisionKind, 'manual'> = index % 2 === 0 ? 'invocation' : isFailed ? 'error' : 'result';
  const tool = `mcp__tool__${call % 30}`;
  const { decision, reasoning } = automaticWords[kind];
  return {
    callId: `call_${call.toString(36).padStart(20, '0')}`,
    kind,
    at: start + call * 20,
    surface: 'http',
    agentId: `worker-${call % 16}`,
    persona: null,
    taskId: `task_${Math.floor(call / 200).toString(36)}`,
    tool,
    decision: `${decision}: ${tool}`,
    reasoning,
    context: JSON.stringify({ title: `Call ${call}`, body: 'The build waits for an answer. '.repeat(4) }),
  };
}
