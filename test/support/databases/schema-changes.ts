import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../../src/db/tables.ts';

/** What an earlier process relies on: each table's columns and rules, as text. */
interface Schema {
  columns: Map<string, { table: string; type: string; isOptional: boolean }>;
  /** Keys, unique indexes, checks, references and triggers by name and text, with their table. */
  rules: Map<string, string>;
  tables: Set<string>;
}

/** Reads the tables of a SQLite or PostgreSQL database. */
export async function readSchema(db: Kysely<Tables>, kind: 'sqlite' | 'postgres'): Promise<Schema> {
  const tables = (await db.introspection.getTables()).filter(({ name }) => !name.startsWith('zoo_'));
  const columns: Schema['columns'] = new Map();
  for (const { name, columns: own } of tables)
    for (const column of own)
      columns.set(`${name}.${column.name}`, {
        table: name,
        type: `${column.dataType.toLowerCase()}${column.isNullable ? '' : ' not null'}`,
        isOptional: column.isNullable || column.hasDefaultValue,
      });
  const rules = new Map<string, string>();
  for (const { name, columns: own } of tables) {
    const found = kind === 'sqlite' ? await sqliteRules(db, name) : await postgresRules(db, name);
    // A new optional column changes nothing about the rules of the others.
    for (const rule of found) rules.set(`${name}: ${rule}`, name);
    if (own.length === 0) throw new Error(`The table ${name} has no columns.`);
  }
  return { columns, rules, tables: new Set(tables.map(({ name }) => name)) };
}

/** Triggers that refuse nothing and change no row of their table. This one copies what the previous version announces. */
const harmlessTriggers = ['CREATE TRIGGER copy_to_recent_changes AFTER INSERT'];

/** Returns what a process that knows only `before` cannot ignore about `after`. */
export function breakingChanges(before: Schema, after: Schema): string[] {
  const problems: string[] = [];
  for (const table of before.tables) if (!after.tables.has(table)) problems.push(`the table ${table} is gone`);
  for (const [name, { type }] of before.columns) {
    const now = after.columns.get(name);
    if (now === undefined) problems.push(`the column ${name} is gone`);
    else if (now.type !== type) problems.push(`the column ${name} was "${type}" and is "${now.type}"`);
  }
  for (const [name, { table, isOptional }] of after.columns)
    if (before.tables.has(table) && !before.columns.has(name) && !isOptional)
      problems.push(`the new column ${name} is not null and has no default`);
  for (const [rule, table] of after.rules)
    if (before.tables.has(table) && !before.rules.has(rule) && !harmlessTriggers.some((name) => rule.includes(name)))
      problems.push(`a new rule for ${rule}`);
  for (const rule of before.rules.keys()) if (!after.rules.has(rule)) problems.push(`no longer a rule for ${rule}`);
  return problems;
}

async function sqliteRules(db: Kysely<Tables>, table: string): Promise<string[]> {
  const unique = await sql<{ columns: string }>`
    select (select group_concat(coalesce(info.name, '(expression)')) from pragma_index_info(list.name) as info) || ' '
      || coalesce((select sql from sqlite_master where name = list.name), '') as columns
    from pragma_index_list(${table}) as list where list."unique" = 1`.execute(db);
  const references = await sql<{ rule: string }>`
    select "from" || ' to ' || "table" || ' ' || on_delete as rule from pragma_foreign_key_list(${table})`.execute(db);
  const triggers = await sql<{ sql: string }>`
    select sql from sqlite_master where type = 'trigger' and tbl_name = ${table}`.execute(db);
  return [
    ...unique.rows.map(({ columns }) => `unique ${columns}`),
    ...references.rows.map(({ rule }) => `reference ${rule}`),
    ...triggers.rows.map((row) => row.sql),
  ];
}

async function postgresRules(db: Kysely<Tables>, table: string): Promise<string[]> {
  const { rows } = await sql<{ rule: string }>`
    select indexdef as rule from pg_indexes where tablename = ${table} and indexdef like 'CREATE UNIQUE%'
    union all select conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
      where conrelid = ${table}::regclass and contype <> 'n'
    union all select pg_get_triggerdef(oid) from pg_trigger where tgrelid = ${table}::regclass and not tgisinternal`.execute(
    db,
  );
  return rows.map(({ rule }) => rule);
}
