import type { Clock } from '../base/clock.ts';
import type { Database, Write } from '../db/database.ts';
import type { GrantedTool, GrantStore, ToolGrant } from './agent-grants.ts';

export class StoredGrants implements GrantStore {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(options: { database: Database; clock: Clock }) {
    this.#database = options.database;
    this.#clock = options.clock;
  }

  async list(agentId: string): Promise<ToolGrant[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('tool_grants')
        .select(['tool', 'granted_at'])
        .where('agent_id', '=', agentId)
        .orderBy('tool')
        .execute(),
    );
    return rows.map(({ tool, granted_at }) => ({ tool, grantedAt: granted_at }));
  }

  async has(agentId: string, { tool, definition }: GrantedTool): Promise<boolean> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('tool_grants')
        .select('tool')
        .where('agent_id', '=', agentId)
        .where('tool', '=', tool)
        .where('definition', '=', definition)
        .executeTakeFirst(),
    );
    return row !== undefined;
  }

  async add(agentId: string, { tool, definition }: GrantedTool): Promise<void> {
    const values = { definition, granted_at: this.#clock.now() };
    await this.#database.write(async ({ db }) => {
      await db
        .insertInto('tool_grants')
        .values({ agent_id: agentId, tool, ...values })
        .onConflict((conflict) => conflict.columns(['agent_id', 'tool']).doUpdateSet(values))
        .execute();
    });
  }

  remove(agentId: string, tool: string): Promise<boolean> {
    return this.#database.write(async ({ db }) => {
      const result = await db
        .deleteFrom('tool_grants')
        .where('agent_id', '=', agentId)
        .where('tool', '=', tool)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    });
  }
}

/** Deletes the grants of an id that is used for a new agent. */
export async function deleteGrants({ db }: Write, agentId: string): Promise<void> {
  await db
    .deleteFrom('tool_grants')
    .where('agent_id', 'in', [agentId, setAside(agentId)])
    .execute();
}

/** Keeps the grants of an agent that is deleted, where another agent with its id does not get them. */
export async function setGrantsAside(write: Write, agentId: string): Promise<void> {
  await moveGrants(write, agentId, setAside(agentId));
}

/** Restores the grants that were set aside when the agent was deleted. */
export async function restoreGrants(write: Write, agentId: string): Promise<void> {
  await moveGrants(write, setAside(agentId), agentId);
}

/** No agent has this id: ids contain no colon. */
function setAside(agentId: string): string {
  return `deleted:${agentId}`;
}

async function moveGrants({ db }: Write, from: string, to: string): Promise<void> {
  await db.deleteFrom('tool_grants').where('agent_id', '=', to).execute();
  await db.updateTable('tool_grants').set({ agent_id: to }).where('agent_id', '=', from).execute();
}

declare module '../db/tables.ts' {
  interface Tables {
    tool_grants: ToolGrantRow;
  }
}

interface ToolGrantRow {
  agent_id: string;
  tool: string;
  /** The hash of the definition that was approved. */
  definition: string;
  granted_at: number;
}
