import type { DecisionEntry, DecisionQuery } from '../tools/decision-log.ts';
import type { DecisionHead } from './decisions-pack.ts';

const minuteMs = 60_000;

interface DecisionCounter {
  minute: number;
  tool: string;
  agentId: string;
  calls: number;
  errors: number;
}

/** What is made from the entries of a group, to find them and to count them. */
export interface DecisionFinds {
  /** Of the group, which may be another one after a restore. */
  hash: string;
  keys: readonly string[];
  counters: readonly DecisionCounter[];
}

export function findsOf(hash: string, entries: readonly DecisionHead[]): DecisionFinds {
  return { hash, keys: [...keysOf(entries)], counters: countersOf(entries) };
}

/**
 * By what the entries of a group can be found: one for each tool, member and task among them, and for kinds that most
 * groups do not have, alone and together with tool and member.
 */
export function keysOf(entries: readonly DecisionHead[]): Set<string> {
  const keys = new Set<string>();
  let known: DecisionHead | undefined;
  for (const entry of entries) {
    const { kind, tool, agentId, taskId } = entry;
    // Neighbours are often alike.
    if (known && known.tool === tool && known.agentId === agentId && known.taskId === taskId && !isRare(kind)) continue;
    known = entry;
    keys.add(`tool ${tool}`);
    if (agentId !== null) keys.add(`member ${agentId}`);
    if (taskId !== null) keys.add(`task ${taskId}`);
    if (!isRare(kind)) continue;
    keys.add(kind);
    keys.add(`${kind} tool ${tool}`);
    if (agentId !== null) keys.add(`${kind} member ${agentId}`);
  }
  return keys;
}

/** The key that leaves the fewest groups; undefined when none of them fits the question. */
export function keyOf({ kind, tool, agentId, taskId }: DecisionQuery): string | undefined {
  if (taskId !== undefined) return `task ${taskId}`;
  const rare = kind !== undefined && isRare(kind) ? `${kind} ` : '';
  if (agentId !== undefined) return `${rare}member ${agentId}`;
  if (tool !== undefined) return `${rare}tool ${tool}`;
  return rare === '' ? undefined : rare.trimEnd();
}

function isRare(kind: DecisionEntry['kind']): boolean {
  return kind === 'error' || kind === 'manual';
}

/** A call counts when it begins, and again among the errors when it fails. */
function countersOf(entries: readonly DecisionHead[]): DecisionCounter[] {
  const counters: DecisionCounter[] = [];
  for (const { kind, at, tool, agentId } of entries) {
    if (kind !== 'invocation' && kind !== 'error') continue;
    const counter = counterFor(counters, Math.floor(at / minuteMs), tool, agentId ?? '');
    if (kind === 'error') counter.errors += 1;
    else counter.calls += 1;
  }
  return counters;
}

/** From the end, because neighbours are often of one kind; a group has few. */
function counterFor(counters: DecisionCounter[], minute: number, tool: string, agentId: string): DecisionCounter {
  const known = counters.findLast((each) => each.minute === minute && each.tool === tool && each.agentId === agentId);
  if (known) return known;
  const counter = { minute, tool, agentId, calls: 0, errors: 0 };
  counters.push(counter);
  return counter;
}

/** Those of one minute, tool and member become one. */
export function addCounts(counters: readonly DecisionCounter[]): DecisionCounter[] {
  const sums = new Map<string, DecisionCounter>();
  for (const counter of counters) {
    const name = `${counter.minute} ${counter.agentId} ${counter.tool}`;
    const sum = sums.get(name);
    if (sum) {
      sum.calls += counter.calls;
      sum.errors += counter.errors;
    } else sums.set(name, { ...counter });
  }
  return [...sums.values()];
}
