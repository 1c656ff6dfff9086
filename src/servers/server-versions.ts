import { holderWords } from '../base/holder.ts';
import type { ServerMemory, ServerReplica, ToolList } from './server-store.ts';
import type { ServerVersion } from './servers.ts';

/** Returns the version for people. */
export function versionLabel({ version }: Pick<ToolList, 'version'>): string {
  return version?.version || 'no version';
}

export function isSeenBy(replicas: readonly ServerReplica[], { id }: ToolList): boolean {
  return replicas.some(({ listId, isSilent }) => listId === id && !isSilent);
}

/**
 * Returns the list whose tools a process shows: its own, or else the newest one that a running process sees, or else the newest.
 * Which one is newest changes only when a new list appears, so that a process without a connection does not change its mind.
 */
export function shownList({ lists, replicas }: ServerMemory, ownId: string | undefined): ToolList | undefined {
  return lists.find(({ id }) => id === ownId) ?? lists.find((list) => isSeenBy(replicas, list)) ?? lists[0];
}

/** Returns the lists that matter now: the shown one first, then those that running processes see, and the newest. */
export function relevantLists({ lists, replicas }: ServerMemory, shown: ToolList | undefined): ToolList[] {
  const others = lists.filter((list, index) => list !== shown && (index === 0 || isSeenBy(replicas, list)));
  return shown ? [shown, ...others] : others;
}

/** Describes the versions that matter now and who sees them. The shown one comes first. */
export function describeVersions(
  memory: ServerMemory,
  { ownId, holder }: { ownId: string | undefined; holder: string | null },
): ServerVersion[] {
  const shown = shownList(memory, ownId);
  const byVersion = Map.groupBy(
    relevantLists(memory, shown).filter(({ version }) => version !== null),
    versionLabel,
  );
  const alive = memory.replicas.filter(({ isSilent }) => !isSilent);
  const nameOf = replicaNames(alive.map((replica) => replica.holder));
  const waiting = new Set(memory.held.map(({ tool, hash }) => `${hash} ${tool}`));
  return [...byVersion].map(([version, lists]) => ({
    version,
    isShown: lists.some((list) => list === shown),
    replicas: alive
      .filter(({ listId }) => lists.some(({ id }) => id === listId))
      .map((replica) => ({
        name: nameOf(replica.holder),
        isHere: replica.holder === holder,
        since: replica.seenAt,
      })),
    waiting: new Set(
      lists
        .flatMap(({ tools }) => [...tools].map(([tool, hash]) => `${hash} ${tool}`))
        .filter((key) => waiting.has(key)),
    ).size,
  }));
}

/** Names processes after their machines, and with their numbers where a machine has several. */
function replicaNames(holders: readonly string[]): (holder: string) => string {
  const counts = Map.groupBy(holders, hostOf);
  return (holder) => {
    const host = hostOf(holder);
    const number = /^process (\d+)/.exec(holder)?.[1];
    return (counts.get(host)?.length ?? 0) > 1 && number !== undefined ? `${host} (process ${number})` : host;
  };
}

/** Returns the name of the machine that a process runs on. */
export function hostOf(holder: string): string {
  const words = holderWords(holder);
  return /^process \d+ on (.*)$/.exec(words)?.[1] ?? words;
}
