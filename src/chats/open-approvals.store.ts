import type { Database } from '../db/database.ts';
import { toEvent } from './chat-rows.store.ts';
import type { OpenApproval } from './chat-store.ts';

/** Returns the calls that wait for an approval, the oldest first. */
export async function openApprovals(database: Database, limit: number): Promise<OpenApproval[]> {
  const rows = await database.read((db) =>
    db
      .selectFrom('chat_approvals as approval')
      .innerJoin('chats as chat', (join) =>
        join.onRef('chat.id', '=', 'approval.chat_id').onRef('chat.run_id', '=', 'approval.run_id'),
      )
      .innerJoin('chat_events as asked', (join) =>
        join.onRef('asked.chat_id', '=', 'approval.chat_id').onRef('asked.seq', '=', 'approval.seq'),
      )
      .select(['chat.id', 'chat.agent_id', 'asked.seq', 'asked.at', 'asked.event'])
      .where('approval.answer', 'is', null)
      .orderBy('asked.at')
      .orderBy('asked.seq')
      .limit(limit)
      .execute(),
  );
  return rows.flatMap(({ id, agent_id, ...row }) => {
    const event = toEvent(row);
    if (event.type !== 'approval.needed') return [];
    const { id: toolUseId, tool, input, outside = [], at } = event;
    return [{ chatId: id, agentId: agent_id, toolUseId, tool, input, outside, at }];
  });
}
