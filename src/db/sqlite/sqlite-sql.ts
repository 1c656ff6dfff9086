import { sql } from 'kysely';
import type { SqlDialect } from '../sql-dialect.ts';

/** SQLite has one writer at a time, so locks have nothing to do. */
export const sqliteSql: SqlDialect = {
  commitsInOrder: true,
  runsOnEventLoop: true,
  lockRows: (query) => query,
  lockFreeRows: (query) => query,
  lockTables: async () => {},
  lock: async () => {},
  writersEnded: async () => true,
  nextChange: numberAfterLast,
  settledChange: numberAfterLast,
  least: (one, other) => sql<number>`min(${one}, ${other})`,
  greatest: (one, other) => sql<number>`max(${one}, ${other})`,
  contains: (column, text) => sql<boolean>`instr(${column}, ${text}) > 0`,
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
