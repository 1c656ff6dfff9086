import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import { type Clock, toIso } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import { carryBrain, deleteBrain } from '../brain/brain.store.ts';
import type { Database, Write } from '../db/database.ts';
import type { Redact } from '../tools/redact/redact.ts';
import type { Agent } from './agent.ts';
import { beginAgentChange } from './agent-changes.store.ts';
import { type AgentData, parseAgentData, toAgentData } from './agent-data.ts';
import { deleteGrants, restoreGrants, setGrantsAside } from './agent-grants.store.ts';
import { AgentSnapshots } from './agent-snapshots.store.ts';
import type { AgentSource } from './agent-source.ts';
import type {
  AgentStore,
  AgentVersion,
  AgentVersionAction,
  CreateOptions,
  DeletedAgent,
  ListedVersion,
  Past,
  StoredAgent,
  UpdateOptions,
} from './agent-store.ts';

const defaultVersionLimit = 100;
/** Keeps a slice short where statements run on the event loop: they read whole rows, and a row can be megabytes. */
const versionsAtOnce = 50;
/** More than an id and a name take, even if every character is escaped. */
const headCharacters = 2_000;

/** The stored agents. Each agent has one writer at a time, on both databases. */
export class StoredAgents implements AgentStore {
  readonly source: AgentSource;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #redact: Redact;

  constructor(options: { database: Database; clock: Clock; logger: Logger; redact?: Redact | undefined }) {
    this.#database = options.database;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#redact = options.redact ?? ((text) => text);
    this.source = new AgentSnapshots(options.database);
  }

  async get(id: string): Promise<StoredAgent | undefined> {
    const row = await this.#database.read((db) =>
      db.selectFrom('agents').selectAll().where('id', '=', id).where('deleted_at', 'is', null).executeTakeFirst(),
    );
    return row && toStoredAgent(row);
  }

  create(agent: Agent, { past, replacesDeleted = false }: CreateOptions = {}): Promise<StoredAgent> {
    const change = { action: past ? 'import' : 'create', past: past?.versions } as const;
    return this.#write(agent.id, change, async (before, write) => {
      if (before?.deleted_at === null) {
        throw new HubError('CONFLICT', `There is already an agent with the id "${agent.id}".`, {
          details: { expected: null, current: toStoredAgent(before) },
        });
      }
      if (before && !replacesDeleted) throw belongsToDeleted(before);
      if (before) await deleteBrain(write, agent.id);
      await deleteGrants(write, agent.id);
      if (past) await this.#carryBrain(write, agent.id, past.brain);
      return { id: agent.id, ...toAgentData(agent), created_at: this.#clock.now(), deleted_at: null };
    });
  }

  update(
    agent: Agent,
    expectedRevision: number | null,
    { action = 'update', brain = [] }: UpdateOptions = {},
  ): Promise<StoredAgent> {
    return this.#write(agent.id, { action }, async (before, write) => {
      const row = { ...expectRevision(before, agent.id, expectedRevision), ...toAgentData(agent) };
      await this.#carryBrain(write, agent.id, brain);
      return row;
    });
  }

  async delete(id: string, expectedRevision: number | null): Promise<void> {
    await this.#write(id, { action: 'delete' }, async (before, write) => {
      const row = { ...expectRevision(before, id, expectedRevision), deleted_at: this.#clock.now() };
      await setGrantsAside(write, id);
      return row;
    });
  }

  undelete(id: string): Promise<StoredAgent> {
    return this.#write(id, { action: 'undelete' }, async (before, write) => {
      if (!before) throw new HubError('NOT_FOUND', `No agent with the id "${id}" has ever existed.`);
      if (before.deleted_at === null) {
        throw new HubError('CONFLICT', `The agent "${id}" is not deleted.`, {
          details: { expected: null, current: toStoredAgent(before) },
        });
      }
      await restoreGrants(write, id);
      return { ...before, deleted_at: null };
    });
  }

  async deleted(): Promise<DeletedAgent[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('agents')
        .select(['id', 'deleted_at'])
        .where('deleted_at', 'is not', null)
        .orderBy('deleted_at', 'desc')
        .orderBy('id')
        .execute(),
    );
    const deleted: DeletedAgent[] = [];
    for (let start = 0; start < rows.length; start += versionsAtOnce) {
      const slice = rows.slice(start, start + versionsAtOnce);
      const names = await this.#namesOf(slice.map(({ id }) => id));
      // The query asks for rows with a time.
      deleted.push(
        ...slice.map(({ id, deleted_at }) => ({ id, name: names.get(id) ?? id, deletedAt: Number(deleted_at) })),
      );
      await nextTurn();
    }
    return deleted;
  }

  async reservedIds(prefix: string): Promise<ReadonlySet<string>> {
    const rows = await this.#database.read((db) =>
      db.selectFrom('agents').select('id').where(sql`substr(id, 1, ${prefix.length})`, '=', prefix).execute(),
    );
    return new Set(rows.map(({ id }) => id));
  }

  async history(
    id: string,
    { limit = defaultVersionLimit, before }: { limit?: number; before?: number } = {},
  ): Promise<ListedVersion[]> {
    const listed: ListedVersion[] = [];
    for (let below = before; ; below = listed.at(-1)?.revision) {
      const wanted = Math.min(limit - listed.length, versionsAtOnce);
      const rows = await this.#heads(id, wanted, below);
      for (const { action, head, ...row } of rows) {
        const name = nameIn(head) ?? (await this.#nameOf(id, row.revision)) ?? id;
        // Only `#write` writes the action, from this type.
        listed.push({ ...row, action: action as AgentVersionAction, name });
      }
      if (rows.length < wanted || listed.length === limit) return listed;
      await nextTurn();
    }
  }

  async versions(id: string, limit = defaultVersionLimit): Promise<AgentVersion[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('agent_versions')
        .selectAll()
        .where('agent_id', '=', id)
        .orderBy('revision', 'desc')
        .limit(limit)
        .execute(),
    );
    return rows.flatMap((row) => {
      try {
        return [toVersion(row)];
      } catch (error) {
        // An unreadable version of an older shape must not hide the others.
        this.#logger.warn({ err: error, agentId: id, revision: row.revision }, 'a stored version cannot be read');
        return [];
      }
    });
  }

  async version(id: string, revision: number): Promise<AgentVersion | undefined> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('agent_versions')
        .selectAll()
        .where('agent_id', '=', id)
        .where('revision', '=', revision)
        .executeTakeFirst(),
    );
    return row && toVersion(row);
  }

  #heads(id: string, limit: number, below: number | undefined) {
    return this.#database.read((db) => {
      const query = db
        .selectFrom('agent_versions')
        .select(['revision', 'action', 'at', sql<string>`substr(data, 1, ${sql.lit(headCharacters)})`.as('head')])
        .where('agent_id', '=', id)
        .orderBy('revision', 'desc')
        .limit(limit);
      return (below === undefined ? query : query.where('revision', '<', below)).execute();
    });
  }

  async #namesOf(ids: readonly string[]): Promise<Map<string, string | undefined>> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('agents')
        .select(['id', sql<string>`substr(data, 1, ${sql.lit(headCharacters)})`.as('head')])
        .where('id', 'in', ids)
        .execute(),
    );
    return new Map(rows.map(({ id, head }) => [id, nameIn(head)]));
  }

  /** Finds the name of a version that an earlier process wrote in another order. */
  async #nameOf(id: string, revision: number): Promise<string | undefined> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('agent_versions')
        .select('data')
        .where('agent_id', '=', id)
        .where('revision', '=', revision)
        .executeTakeFirst(),
    );
    await nextTurn();
    const { success, data } = Named.safeParse(row && parsed(row.data));
    return success ? data.name : undefined;
  }

  #carryBrain(write: Write, agentId: string, entries: Past['brain']): Promise<void> {
    return carryBrain(write, agentId, { entries, now: this.#clock.now(), redact: this.#redact });
  }

  /** Writes an agent and its version in one transaction, after the versions it brings along. Every change goes through here. */
  #write(id: string, { action, past = [] }: Change, decide: DecideNextRow): Promise<StoredAgent> {
    return this.#database.write(async (write) => {
      const changeNumber = await beginAgentChange(write.db, this.#database.dialect, id);
      write.changed('agents', id);
      const before = await write.db.selectFrom('agents').selectAll().where('id', '=', id).executeTakeFirst();
      const next = await decide(before, write);
      const at = this.#clock.now();
      const first = (before?.revision ?? 0) + 1;
      const revision = first + past.length;
      const row: AgentRow = { ...next, revision, change_number: changeNumber, updated_at: at };
      const { id: _, ...changes } = row;
      await write.db
        .insertInto('agents')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(changes))
        .execute();
      const versions = past.map(({ agent, ...version }, index) => ({
        ...version,
        agent_id: id,
        revision: first + index,
        ...toAgentData({ ...agent, id, source: 'store' }),
      }));
      await write.db
        .insertInto('agent_versions')
        .values([...versions, { agent_id: id, revision, action, at, data: row.data, tags: row.tags }])
        .execute();
      return toStoredAgent(row);
    });
  }
}

/** What happened, and the versions that an import brings along. */
interface Change {
  action: AgentVersionAction;
  past?: Past['versions'] | undefined;
}

type NextRow = Pick<AgentRow, 'id' | 'data' | 'tags' | 'created_at' | 'deleted_at'>;
type DecideNextRow = (before: AgentRow | undefined, write: Write) => Promise<NextRow> | NextRow;

function expectRevision(before: AgentRow | undefined, id: string, expected: number | null): AgentRow {
  if (!before || before.deleted_at !== null) {
    throw new HubError('AGENT_NOT_FOUND', `There is no stored agent with the id "${id}".`);
  }
  if (expected !== null && expected !== before.revision) {
    throw new HubError(
      'CONFLICT',
      `The agent "${id}" has changed: the newest revision is ${before.revision}, not ${expected}.`,
      { details: { expected, current: toStoredAgent(before) } },
    );
  }
  return before;
}

function belongsToDeleted(row: AgentRow): HubError {
  const { id } = row;
  const deleted = { id, name: nameIn(row.data) ?? id, deletedAt: toIso(Number(row.deleted_at)) };
  return new HubError(
    'CONFLICT',
    `The id "${id}" belongs to a deleted agent, whose history and memory are kept. Restore it, or choose another id.`,
    { details: { deleted } },
  );
}

function toStoredAgent(row: AgentRow): StoredAgent {
  const agent = parseAgentData(row.id, row);
  return { agent, revision: row.revision, createdAt: row.created_at, updatedAt: row.updated_at };
}

const Named = z.object({ name: z.string() });

/** Returns the name at the beginning of a stored agent without parsing the rest, which can be long; undefined if it is elsewhere. */
function nameIn(head: string): string | undefined {
  const name = /^\{"id":"[^"\\]*","name":("(?:[^"\\]|\\.)*")/.exec(head)?.[1];
  return name === undefined ? undefined : JSON.parse(name);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function toVersion(row: AgentVersionRow): AgentVersion {
  return {
    agentId: row.agent_id,
    revision: row.revision,
    // Only `#write` writes it, from this type.
    action: row.action as AgentVersionAction,
    at: row.at,
    agent: parseAgentData(row.agent_id, row),
  };
}

declare module '../db/tables.ts' {
  interface Tables {
    agents: AgentRow;
    agent_versions: AgentVersionRow;
  }
}

interface AgentRow extends AgentData {
  id: string;
  revision: number;
  /** The number of the last change. Readers ask for rows with larger numbers than they have seen. */
  change_number: number;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

interface AgentVersionRow extends AgentData {
  agent_id: string;
  revision: number;
  action: string;
  at: number;
}
