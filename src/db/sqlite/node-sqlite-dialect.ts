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
} from 'kysely';

/** Kysely on `node:sqlite`. Transactions begin IMMEDIATE: a deferred one may fail in its middle when it turns to writing. */
export function nodeSqliteDialect(connection: DatabaseSync): Dialect {
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
/** Longer ones are lists of values, of which hardly any comes twice. */
const maxCharacters = 4_000;

/** Prepares a statement once: that takes longer than most of them run. */
function toKyselyDatabase(connection: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => connection.close(),
    prepare(sql) {
      const known = statements.get(sql);
      if (known) return known;
      const made = toKyselyStatement(connection, sql);
      if (sql.length > maxCharacters) return made;
      if (statements.size >= maxStatements) statements.clear();
      statements.set(sql, made);
      return made;
    },
  };
}

/** `all` and `run` leave nothing open behind them, so everybody can share a statement; an iteration has one of its own. */
function toKyselyStatement(connection: DatabaseSync, sql: string): SqliteStatement {
  const statement = connection.prepare(sql);
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...toInput(parameters)),
    run: (parameters) => statement.run(...toInput(parameters)),
    iterate: (parameters) => connection.prepare(sql).iterate(...toInput(parameters)),
  };
}

/** The tables hold text, numbers and nulls; SQLite itself refuses anything else when it is bound. */
function toInput(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters as SQLInputValue[];
}

/** Kysely's own says no, but in SQLite a transaction covers changes of tables too. */
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

  /** After a full disk or an I/O error SQLite has rolled back by itself. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#connection.isTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
  }
}
