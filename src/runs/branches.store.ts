import { type Kysely, sql } from 'kysely';
import { HubError } from '../base/hub-error.ts';
import type { Write } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';

/** A message of the user with its answer, as a point where a conversation can branch. */
export interface BranchPoint {
  messageId: string;
  /** The id of the message before it; empty for the first. */
  parentId: string;
  isActive: boolean;
  /** Its parent is not stored, because an older version wrote it. */
  isInferred: boolean;
}

/** Returns all messages of the user in a chat, on every branch, in the order in which they were sent. */
export async function branchesOf(db: Kysely<Tables>, chatId: string): Promise<Map<string, BranchPoint>> {
  const rows = await db
    .selectFrom('messages')
    .select(({ fn }) => [
      'message_id',
      fn.max('parent_id').as('parent_id'),
      fn.min('ordinal').as('first'),
      fn.max('superseded_by').as('superseded_by'),
    ])
    .where('thread_id', '=', chatId)
    .where('message_id', 'is not', null)
    .groupBy('message_id')
    .orderBy(sql`min(ordinal)`)
    .execute();
  return new Map(
    rows.map((row, index) => {
      const isCurrentFor = (earlier: (typeof rows)[number]) =>
        earlier.superseded_by === null || earlier.superseded_by > row.first;
      const parentId = row.parent_id ?? rows.slice(0, index).findLast(isCurrentFor)?.message_id ?? '';
      const messageId = row.message_id ?? '';
      const isInferred = row.parent_id === null;
      return [messageId, { messageId, parentId, isActive: row.superseded_by === null, isInferred }];
    }),
  );
}

/** Throws NOT_FOUND. */
export function pointOf(points: ReadonlyMap<string, BranchPoint>, messageId: string): BranchPoint {
  const point = points.get(messageId);
  if (!point) throw new HubError('NOT_FOUND', `There is no message "${messageId.slice(0, 80)}" in this chat.`);
  return point;
}

/** Returns the ids of the messages from the first one to this one. */
export function branchTo(points: ReadonlyMap<string, BranchPoint>, messageId: string): string[] {
  const ids: string[] = [];
  for (let point = points.get(messageId); point; point = points.get(point.parentId)) ids.unshift(point.messageId);
  return ids;
}

/** Returns the newest message that follows this one, directly or not, or the message itself. */
export function newestAfter(points: ReadonlyMap<string, BranchPoint>, messageId: string): string {
  const following = new Set([messageId]);
  let newest = messageId;
  for (const point of points.values()) {
    if (!following.has(point.parentId)) continue;
    following.add(point.messageId);
    newest = point.messageId;
  }
  return newest;
}

interface BranchChange {
  chatId: string;
  points: ReadonlyMap<string, BranchPoint>;
  /** The message at which the active branch ends now; empty for none. */
  endId: string;
  /** The ordinal of the next message. */
  next: number;
}

/** Makes the branch that ends at a message the active one. First stores the inferred parents, which could not be inferred afterwards. */
export async function activateBranch(db: Write['db'], { chatId, points, endId, next }: BranchChange): Promise<void> {
  const branch = new Set(branchTo(points, endId));
  const messages = (ids: readonly string[]) =>
    db.updateTable('messages').where('thread_id', '=', chatId).where('message_id', 'in', ids);
  for (const { messageId, parentId, isInferred } of points.values())
    if (isInferred) await messages([messageId]).set({ parent_id: parentId }).execute();
  const all = [...points.values()];
  const left = all.filter(({ messageId, isActive }) => isActive && !branch.has(messageId));
  const entered = all.filter(({ messageId, isActive }) => !isActive && branch.has(messageId));
  if (left.length > 0) await messages(left.map(idOf)).set({ superseded_by: next }).execute();
  if (entered.length > 0) await messages(entered.map(idOf)).set({ superseded_by: null }).execute();
}

function idOf({ messageId }: BranchPoint): string {
  return messageId;
}
