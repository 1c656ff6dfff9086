import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
  sql,
} from 'kysely';
import type { SqlDialect } from '../sql-dialect.ts';

const lowerCase = 'zoo_lower';

/** Kysely on `node:sqlite`. Transactions begin IMMEDIATE, because a deferred one may fail halfway when it starts to write. */
export function nodeSqliteDialect(connection: DatabaseSync): Dialect {
  // SQLite's own `lower` knows only ASCII.
  connection.function(lowerCase, { deterministic: true }, (text) =>
    typeof text === 'string' ? text.toLowerCase() : null,
  );
  const database = toKyselyDatabase(connection);
  const dialect = new SqliteDialect({ database });
  return {
    createAdapter: () => new TransactionalAdapter(),
    createDriver: () => new ImmediateDriver({ database }, connection),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

const maxStatements = 200;
/** Longer statements contain lists of values and hardly ever repeat. */
const maxCharacters = 4_000;

/** Caches prepared statements, because preparing takes longer than running most of them. */
function toKyselyDatabase(connection: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => connection.close(),
    prepare(sql) {
      const known = statements.get(sql);
      if (known) return known;
      const statement = toKyselyStatement(connection, sql);
      if (sql.length > maxCharacters) return statement;
      if (statements.size >= maxStatements) statements.clear();
      statements.set(sql, statement);
      return statement;
    },
  };
}

/** `all` and `run` leave nothing open, so callers can share a statement; each iteration gets its own. */
function toKyselyStatement(connection: DatabaseSync, sql: string): SqliteStatement {
  const statement = connection.prepare(sql);
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...toInput(parameters)),
    run: (parameters) => statement.run(...toInput(parameters)),
    iterate: (parameters) => connection.prepare(sql).iterate(...toInput(parameters)),
  };
}

/** The tables hold text, numbers, bytes and nulls; SQLite rejects anything else when it binds. */
function toInput(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters as SQLInputValue[];
}

/** Kysely's adapter denies it, but SQLite's transactions do cover schema changes. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class ImmediateDriver extends SqliteDriver {
  readonly #connection: DatabaseSync;

  constructor(config: { database: SqliteDatabase }, connection: DatabaseSync) {
    super(config);
    this.#connection = connection;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** After a full disk or an I/O error, SQLite has already rolled back. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#connection.isTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
  }
}

/** SQLite has one writer at a time, so locks have nothing to do. */
export const sqliteSql: SqlDialect = {
  commitsInOrder: true,
  runsOnEventLoop: true,
  comparesVectors: false,
  lockRows: (query) => query,
  lockFreeRows: (query) => query,
  lockTables: async () => {},
  lock: async () => {},
  writersEnded: async () => true,
  async beginChange(db, { table, column }) {
    const { rows } = await sql<{ number: number }>`select ${numberAfterLast(table, column)} as number`.execute(db);
    return rows[0]?.number ?? 0;
  },
  settledChange: numberAfterLast,
  least: (one, other) => sql<number>`min(${one}, ${other})`,
  greatest: (one, other) => sql<number>`max(${one}, ${other})`,
  numberIn: (column, name) => sql<number | null>`json_extract(${column}, ${sql.lit(`$.${name}`)})`,
  contains: (column, text) => sql<boolean>`instr(${column}, ${text}) > 0`,
  mentions: (column, text) => sql<boolean>`instr(${sql.raw(lowerCase)}(${column}), ${text.toLowerCase()}) > 0`,
  textRows: (texts) => sql`(select value from json_each(${JSON.stringify(texts)}))`,
  jsonRows: (json) => sql`json_each(${json})`,
  prepared: {
    parameter: (number) => `?${number}`,
    isInList: (column, number) => `${column} in (select value from json_each(?${number}))`,
    rowsOfLists(alias, [first, ...more]) {
      const others = more.map(({ name }, index) => `, ?${index + 2} ->> key as ${name}`);
      return `(select value as ${first?.name}${others.join('')} from json_each(?1)) as ${alias}`;
    },
  },
};

function numberAfterLast(table: string, column: string) {
  return sql<number>`(select coalesce(max(${sql.ref(column)}), 0) + 1 from ${sql.table(table)})`;
}
