import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Database } from '../../db/database.ts';
import type { ClientStore, Handshake } from './client-store.ts';

const maxClients = 50;
const maxCharacters = 80;
/** The same client is written at most this often. */
const everyMs = 60_000;
/** Limits new names in each period of `everyMs`, because every client chooses its own name. */
const maxNew = 20;
/** The mark that a client has called a tool. */
const firstCall = 'client-call';

interface Parts {
  database: Database;
  clock: Clock;
  logger: Logger;
}

export class StoredClients implements ClientStore {
  readonly #parts: Parts;
  readonly #noted = new Map<string, number>();
  #hasCall = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  note(handshake: Handshake, countTools: () => Promise<number>): void {
    const shown = { ...handshake, name: shortText(handshake.name), version: shortText(handshake.version) };
    if (shown.name === '') return;
    const now = this.#parts.clock.now();
    const key = JSON.stringify([shown.name, shown.version, shown.agentId]);
    if (Math.abs(now - (this.#noted.get(key) ?? Number.NEGATIVE_INFINITY)) < everyMs) return;
    for (const [each, at] of this.#noted) if (Math.abs(now - at) >= everyMs) this.#noted.delete(each);
    if (this.#noted.size >= maxNew) return;
    this.#noted.set(key, now);
    this.#inBackground(async () => this.#save(shown, await countTools(), now));
  }

  noteCall(): void {
    if (this.#hasCall) return;
    this.#hasCall = true;
    const { database, clock } = this.#parts;
    this.#inBackground(() =>
      database.write(
        async (write) => {
          const first = await write.db
            .insertInto('marks')
            .values({ name: firstCall, at: clock.now() })
            .onConflict((conflict) => conflict.doNothing())
            .returning('name')
            .executeTakeFirst();
          if (first) write.changed('clients');
        },
        { isDurable: false },
      ),
    );
  }

  async list(): ReturnType<ClientStore['list']> {
    const rows = await this.#parts.database.read((db) =>
      db.selectFrom('mcp_clients').selectAll().orderBy('at', 'desc').orderBy('name').limit(maxClients).execute(),
    );
    return rows.map(({ name, version, agent_id, tools, at }) => ({ name, version, agentId: agent_id, tools, at }));
  }

  async firstCallAt(): Promise<number | null> {
    const row = await this.#parts.database.read((db) =>
      db.selectFrom('marks').select('at').where('name', '=', firstCall).executeTakeFirst(),
    );
    return row?.at ?? null;
  }

  #save({ name, version, agentId }: Handshake, tools: number, at: number): Promise<void> {
    const values = { version, agent_id: agentId, tools, at };
    return this.#parts.database.write(
      async (write) => {
        const { db } = write;
        await db
          .insertInto('mcp_clients')
          .values({ name, ...values })
          .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
          .execute();
        const tooOld = db.selectFrom('mcp_clients').select('at').orderBy('at', 'desc').limit(1).offset(maxClients);
        await db.deleteFrom('mcp_clients').where('at', '<=', tooOld).execute();
        write.changed('clients');
      },
      { isDurable: false },
    );
  }

  #inBackground(run: () => Promise<void>): void {
    run().catch((error: unknown) => this.#parts.logger.warn({ err: error }, 'an MCP client could not be recorded'));
  }
}

/** Keeps only visible characters: strangers choose these texts. */
function shortText(text: string): string {
  const visible = text.slice(0, 1_000).replaceAll(/[\p{C}\p{Z}]+/gu, ' ');
  return visible.trim().slice(0, maxCharacters).toWellFormed();
}

declare module '../../db/tables.ts' {
  interface Tables {
    mcp_clients: ClientRow;
  }
}

interface ClientRow {
  name: string;
  version: string;
  agent_id: string | null;
  tools: number;
  at: number;
}
