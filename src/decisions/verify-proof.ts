import { toIso } from '../base/clock.ts';
import type { VerifyReport } from '../tools/decision-log.ts';
import type { Head } from './anchor-lines.ts';
import type { Cuts } from './log-cuts.store.ts';
import { checkProof, keyIdOf, startText } from './log-key.ts';
import type { KnownProof } from './log-proof.ts';

interface ReadChain {
  no: number;
  rows: number;
  keyId: string | undefined;
  isBroken: boolean;
  hasAnchor: boolean;
}

interface ListedChain {
  chain: string;
  started_at: number;
  first_no: number;
  hash_before_first: string;
  start_proof: string;
}

type Problem = VerifyReport['problems'][number];

interface Verified {
  proof: KnownProof;
  cuts: Cuts;
  walks: ReadonlyMap<string, ReadChain>;
}

interface Compared {
  problems: Problem[];
  /** Chains that a restore made shorter or removed. */
  restored: number;
}

interface Comparison extends Verified {
  chains: ReadonlyMap<string, ListedChain>;
  /** The problems found so far, so that no chain gets two messages about its end. */
  found: readonly Problem[];
  /** Returns the ends of groups that were written since the walk began, by number. */
  later(chain: string): Promise<Map<number, string>>;
}

const maxProblems = 100;

/** Compares the chains with what is known outside the database: their starts, and whether each anchored chain is still there. */
export async function compareAnchors(comparison: Comparison): Promise<Compared> {
  const { proof, cuts, walks, chains, found, later } = comparison;
  const compared: Compared = { problems: [], restored: 0 };
  const { problems } = compared;
  const report = (chain: string, chainNo: number, message: string) =>
    problems.push({ chain, chainNo, seq: null, message: `${message}${hintOf(cuts)}` });
  for (const row of cuts.wrong)
    problems.push({
      chain: '',
      chainNo: 0,
      seq: null,
      message: `The record ${row.id} of deleted entries was changed.`,
    });
  for (const row of chains.values()) checkStart(row, comparison, compared);
  for (const [chain, walk] of walks) {
    if (isStrange(chain, walk, comparison))
      report(chain, walk.no, `The chain ${chain} has no key and no anchor: no hub with this home wrote it.`);
  }
  const reported = new Set(found.map(({ chain }) => chain));
  for (const head of proof.anchors?.heads.values() ?? []) {
    const { chain, no, at } = head;
    if (problems.length >= maxProblems) break;
    const row = chains.get(chain);
    const walk = walks.get(chain);
    if (walk?.hasAnchor || walk?.isBroken || reported.has(chain) || (row && no < row.first_no)) continue;
    if (!row && !walk && cuts.pruned.has(chain)) continue;
    if ((await later(chain)).get(no) === head.hash) continue;
    if (cuts.restoredAt !== undefined && at <= cuts.restoredAt) compared.restored += 1;
    else report(chain, no, missing(head, walk?.no ?? (row ? row.first_no - 1 : undefined)));
  }
  return compared;
}

function missing({ chain, no, at }: Head, last: number | undefined): string {
  const when = `anchored on ${toIso(at)}`;
  if (last === undefined) return `The chain ${chain} is missing. It had ${entries(no)}, ${when}.`;
  return `The end of ${chain} is missing: number ${last + 1} to ${no}, ${when}.`;
}

function hintOf({ unknownKeys }: Cuts): string {
  if (unknownKeys.size === 0) return '';
  const keys = [...unknownKeys].join(', ');
  return ` The key ${keys} deleted or restored entries, but is not on this machine: verify with a copy of it (--key FILE).`;
}

/** Whether a chain without a key appeared although this home has one: hubs with this home anchor all their chains. */
function isStrange(chain: string, walk: ReadChain, { proof, cuts, chains }: Comparison): boolean {
  const { anchors } = proof;
  if (walk.keyId !== undefined || !anchors || anchors.keys.size === 0 || anchors.heads.has(chain)) return false;
  const startedAt = chains.get(chain)?.started_at ?? Number.POSITIVE_INFINITY;
  return cuts.restoredAt === undefined || startedAt > cuts.restoredAt;
}

/** Checks that the hub itself deleted what is missing at the start of a chain. */
function checkStart(row: ListedChain, { proof, walks }: Comparison, { problems }: Compared): void {
  const { chain, first_no, hash_before_first, start_proof } = row;
  if (first_no === 1) return;
  const text = startText(chain, first_no, hash_before_first);
  const checked = start_proof === '' ? undefined : checkProof(proof.keys, start_proof, text);
  if (checked === 'right') return;
  const anchored = proof.anchors?.heads.get(chain)?.firstNo;
  const isKeyed = (walks.get(chain)?.keyId ?? keyIdOf(hash_before_first)) !== undefined;
  // Deleted before there were proofs.
  if (checked === undefined && !isKeyed && (anchored === undefined || anchored >= first_no)) return;
  const why =
    checked === 'unknown'
      ? `The key ${keyIdOf(start_proof)} deleted them, but is not on this machine: verify with a copy of it (--key FILE).`
      : 'The hub did not delete them.';
  const message = `The first ${entries(first_no - 1)} of ${chain} are missing. ${why}`;
  problems.push({ chain, chainNo: first_no, seq: null, message });
}

/** Says what the verification proves, and what it cannot prove and why. */
export function describeProof(
  parts: Verified & { compared: Compared; unchained: number },
): Pick<VerifyReport, 'proven' | 'unproven'> {
  const { proof, cuts, walks, compared, unchained } = parts;
  const { keys, anchors, keyFile, anchorFile } = proof;
  const chains = [...walks];
  const sum = (some: readonly (readonly [string, ReadChain])[]) => some.reduce((rows, [, walk]) => rows + walk.rows, 0);
  const keyed = chains.filter(([, { keyId }]) => keyId !== undefined && keys.has(keyId));
  const hashed = chains.filter(([, { keyId }]) => keyId === undefined);
  const foreign = Map.groupBy(
    chains.filter(([, { keyId }]) => keyId !== undefined && !keys.has(keyId)),
    ([, { keyId }]) => keyId ?? '',
  );
  const proven: string[] = [];
  const unproven: string[] = [];
  if (keyed.length > 0)
    proven.push(
      `${entries(sum(keyed))} chained with a key that is not in the database: any changed entry, and any missing one in between, is detected.`,
    );
  if (anchors?.lastAt !== undefined)
    proven.push(
      `${anchors.heads.size === 1 ? 'The end of 1 chain is' : `The ends of ${anchors.heads.size} chains are`} anchored outside the database, last on ${toIso(anchors.lastAt)}: a deleted chain, an emptied table or a removed end is detected.`,
    );
  const newer = keyed.reduce((rows, [chain, walk]) => rows + newerThan(anchors?.heads.get(chain), walk), 0);
  if (anchors && newer > 0)
    unproven.push(
      `${entries(newer)} written after the last anchor of their chain: removing them from its end would go undetected.`,
    );
  if (hashed.length > 0)
    unproven.push(
      `${entries(sum(hashed))} chained without a key, because they are older than the key: someone with write access to the database could have recomputed their hashes${anchors?.since === undefined ? '' : `, until they were anchored on ${toIso(anchors.since)}`}.`,
    );
  if (unchained > 0) unproven.push(`${entries(unchained)} older than chains, which nothing protects.`);
  for (const [keyId, some] of foreign) {
    const whose = anchors?.keys.has(keyId)
      ? `which this home used before: put a copy of it back into ${keyFile}`
      : 'which belongs to another machine or home: verify there, or with a copy of it (--key FILE)';
    unproven.push(
      `${entries(sum(some))} chained with the key ${keyId}, ${whose}. Only their order and number were checked.`,
    );
  }
  if (!anchors && chains.length > 0)
    unproven.push(
      `This database has no anchors${anchorFile === undefined ? '' : ` in ${anchorFile}`}: a deleted chain, an emptied table or a removed end goes undetected.`,
    );
  if (cuts.restoredAt !== undefined)
    unproven.push(
      `A backup was restored on ${toIso(cuts.restoredAt)}: what was written after the backup was made is not in this log${compared.restored === 0 ? '' : ` (${compared.restored} chains that were anchored before)`}.`,
    );
  if (anchors && anchors.torn > 0)
    unproven.push(
      `${anchors.torn === 1 ? '1 line' : `${anchors.torn} lines`} of the anchors cannot be read, perhaps because of a crash.`,
    );
  return { proven, unproven };
}

function newerThan(head: Head | undefined, { no, rows }: ReadChain): number {
  return Math.min(rows, Math.max(0, no - (head?.no ?? 0)));
}

function entries(count: number): string {
  return count === 1 ? '1 entry' : `${count.toLocaleString('en')} entries`;
}
