import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './run-step.ts';

/** The types of the bundled SQL library that declarations mention. Nobody outside the package can use them, so they are opaque. */
const opaqueTypes = `/** Stands in for the SQL library, which is bundled: its types are of no use outside the package. */
export type Kysely<Tables> = unknown;
export type Transaction<Tables> = unknown;
export type RawBuilder<Value> = unknown;
export type SelectQueryBuilder<Tables, Table, Output> = unknown;
export type Selectable<Row> = Row;
export type Generated<Value> = Value;
export type Dialect = unknown;
export type PostgresPool = unknown;
export type Migration = unknown;
`;

/** Points the published declarations at opaque types instead of kysely, which a user of the package does not have. */
export function hideSqlLibrary(): void {
  const types = join(root, 'dist', 'types');
  const stub = join(types, 'sql-library.d.ts');
  writeFileSync(stub, opaqueTypes);
  for (const file of globSync('src/**/*.d.ts', { cwd: types })) {
    const path = join(types, file);
    const text = readFileSync(path, 'utf8');
    const address = relative(dirname(path), stub)
      .replaceAll('\\', '/')
      .replace(/\.d\.ts$/, '.ts');
    const changed = text.replace(
      /(from |import\()(['"])kysely(?:\/migration)?\2/g,
      (_, before) => `${before}'${address}'`,
    );
    if (changed !== text) writeFileSync(path, changed);
  }
}
