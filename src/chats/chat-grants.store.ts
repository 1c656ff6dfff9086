import type { ToolGrant } from '../agents/agent-grants.ts';
import type { Clock } from '../base/clock.ts';
import type { Database, Write } from '../db/database.ts';
import type { ChatGrant, ChatGrantStore } from './chat-grants.ts';

export class StoredChatGrants implements ChatGrantStore {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(options: { database: Database; clock: Clock }) {
    this.#database = options.database;
    this.#clock = options.clock;
  }

  async list(chatId: string): Promise<ToolGrant[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('chat_grants')
        .select(['tool', 'granted_at'])
        .where('chat_id', '=', chatId)
        .orderBy('tool')
        .execute(),
    );
    return rows.map(({ tool, granted_at }) => ({ tool, grantedAt: granted_at }));
  }

  async has(chatId: string, { tool, agentId, definition, isAfterReading }: ChatGrant): Promise<boolean> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('chat_grants')
        .select('after_reading')
        .where('chat_id', '=', chatId)
        .where('tool', '=', tool)
        .where('agent_id', '=', agentId)
        .where('definition', '=', definition)
        .executeTakeFirst(),
    );
    return row !== undefined && (!isAfterReading || row.after_reading === 1);
  }

  async add(chatId: string, { tool, agentId, definition, isAfterReading }: ChatGrant): Promise<void> {
    const grantedAt = this.#clock.now();
    await this.#database.write(async (write) => {
      const { db } = write;
      const chat = await db.selectFrom('chats').select('id').where('id', '=', chatId).executeTakeFirst();
      if (!chat) return;
      const before = await db
        .selectFrom('chat_grants')
        .select(['agent_id', 'definition', 'after_reading'])
        .where('chat_id', '=', chatId)
        .where('tool', '=', tool)
        .executeTakeFirst();
      const isSame = before?.agent_id === agentId && before.definition === definition;
      const values = {
        agent_id: agentId,
        definition,
        after_reading: isAfterReading || (isSame && before.after_reading === 1) ? 1 : 0,
        granted_at: grantedAt,
      };
      await db
        .insertInto('chat_grants')
        .values({ chat_id: chatId, tool, ...values })
        .onConflict((conflict) => conflict.columns(['chat_id', 'tool']).doUpdateSet(values))
        .execute();
      write.changed('chats', chatId);
    });
  }

  remove(chatId: string, tool: string): Promise<boolean> {
    return this.#database.write(async (write) => {
      const result = await write.db
        .deleteFrom('chat_grants')
        .where('chat_id', '=', chatId)
        .where('tool', '=', tool)
        .executeTakeFirst();
      const isGone = result.numDeletedRows > 0n;
      if (isGone) write.changed('chats', chatId);
      return isGone;
    });
  }
}

/** Deletes the grants of the agents that a chat had before. */
export async function deleteOtherGrants({ db }: Write, chatId: string, agentId: string): Promise<void> {
  await db.deleteFrom('chat_grants').where('chat_id', '=', chatId).where('agent_id', '!=', agentId).execute();
}

declare module '../db/tables.ts' {
  interface Tables {
    chat_grants: ChatGrantRow;
  }
}

interface ChatGrantRow {
  chat_id: string;
  tool: string;
  agent_id: string;
  /** The hash of the definition that was approved. */
  definition: string;
  /** 1 if it was given after the chat had read text from outside. */
  after_reading: number;
  granted_at: number;
}
