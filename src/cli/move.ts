import { resolve } from 'node:path';
import { HubError } from '../base/hub-error.ts';
import { type LoadedConfig, showPath } from '../config/load-config.ts';
import { showLogProgress } from '../decisions/decisions.cli.ts';
import type { Moved } from '../store/move.ts';
import type { StoreAddress } from '../store/open-store.ts';
import { loadOwnConfig } from './backup.ts';
import type { ConfigOption } from './open-hub.ts';
import { recordWithoutHub } from './record-command.ts';
import { type CliContext, printJson, printLine } from './terminal/context.ts';
import { printTable } from './terminal/print-table.ts';
import { count, countOf, progressBar } from './terminal/progress-bar.ts';
import { UsageError } from './terminal/report-error.ts';
import { printableLine } from './terminal/text-width.ts';

export interface MoveOptions extends ConfigOption {
  direction: 'sqlite-to-postgres' | 'postgres-to-sqlite';
  target?: string | undefined;
  whileServing?: boolean;
  json?: boolean;
}

/** `zoo move`. */
export async function move(context: CliContext, options: MoveOptions): Promise<void> {
  const { loaded, from, to } = await addressesOf(context, options);
  const { moveStore } = await import('../store/move.ts');
  const bar = progressBar(context);
  const moved = await moveStore({
    from,
    to,
    dataDir: loaded.dataDir,
    secret: loaded.lookUp('AGENT_ZOO_SECRET'),
    isWhileServing: options.whileServing ?? false,
    onProgress: (progress) => showLogProgress(bar, progress),
  }).finally(bar.clear);
  const act = { summary: 'Move everything to another database', target: moved.to, before: { database: moved.from } };
  await recordWithoutHub({ ...loaded, config: { ...loaded.config, db: { ...to } } }, 'zoo move', act);
  if (options.json) printJson(context, moved);
  else print(context, moved, { loaded, to });
}

interface Addresses {
  loaded: LoadedConfig;
  from: StoreAddress;
  to: StoreAddress;
}

async function addressesOf(context: CliContext, { direction, target, ...options }: MoveOptions): Promise<Addresses> {
  if (direction === 'postgres-to-sqlite') {
    const loaded = await loadOwnConfig(context, options);
    const { url } = loaded.config.db;
    if (target === undefined) throw new UsageError('Name the new file: zoo move postgres-to-sqlite FILE');
    if (url === undefined)
      throw new HubError(
        'INVALID_CONFIG',
        'The data is in SQLite already. Set [db] url or $DATABASE_URL to move from PostgreSQL.',
      );
    return { loaded, from: { url }, to: { path: resolve(context.cwd, target) } };
  }
  // Here the variable is where to, not where from.
  const { DATABASE_URL: fromEnvironment, ...env } = context.env;
  const loaded = await loadOwnConfig({ ...context, env }, options);
  const { path, url } = loaded.config.db;
  const address = target ?? fromEnvironment;
  if (!address)
    throw new UsageError(
      'Name the database: zoo move sqlite-to-postgres postgres://USER:PASSWORD@HOST/DATABASE, or set DATABASE_URL.',
    );
  if (url !== undefined)
    throw new HubError(
      'INVALID_CONFIG',
      'The config has [db] url, so the data is in PostgreSQL already. Name the config of the SQLite data with --config.',
    );
  return { loaded, from: { path }, to: { url: address } };
}

function print(context: CliContext, moved: Moved, { loaded, to }: Pick<Addresses, 'loaded' | 'to'>): void {
  const filled = moved.tables.filter(({ rows }) => rows > 0);
  const rows = filled.reduce((sum, table) => sum + table.rows, 0);
  printTable(
    context,
    ['TABLE', 'ROWS', 'HASH'],
    filled.map((each) => [each.table, String(each.rows), each.hash.slice(0, 16)]),
  );
  const tables = `${countOf(filled.length, 'table')} and ${countOf(rows, 'row')}`;
  printLine(
    context,
    `\nMoved ${tables} from ${showPath(moved.from, context.cwd)} to ${showPath(moved.to, context.cwd)}; source and copy are identical.`,
  );
  const { log } = moved;
  const problems =
    log.problems.length === 0 ? 'no changes found' : `${countOf(log.problems.length, 'problem')}, see "zoo log verify"`;
  printLine(
    context,
    `Decision log: ${count(log.rows)} entries in ${countOf(log.chains, 'chain')} verified, ${problems}.`,
  );
  for (const { who } of moved.serving)
    printLine(
      context,
      printableLine(
        `${who} is still using the source, and what it has written meanwhile is not in the copy. Stop it before you use the copy.`,
      ),
    );
  printLine(
    context,
    `\nThe source is unchanged. To use the copy, set this in ${showPath(loaded.file ?? 'zoo.toml', context.cwd)}:\n\n[db]`,
  );
  if (to.url === undefined)
    printLine(context, `path = ${JSON.stringify(to.path)}  # and remove url, or unset DATABASE_URL`);
  else
    printLine(
      context,
      `url = ${JSON.stringify(withoutPassword(to.url))}  # with its password; or set DATABASE_URL instead`,
    );
}

function withoutPassword(address: string): string {
  const url = new URL(address);
  url.password = '';
  url.search = '';
  return url.href;
}
