import { access, constants } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { HubError } from '../base/hub-error.ts';
import { type LoadedConfig, showPath } from '../config/load-config.ts';
import { trustCommand } from '../config/trust/config-trust.ts';
import { showLogProgress } from '../decisions/decisions.cli.ts';
import { type ConfigOption, loadCliConfig } from './open-hub.ts';
import { recordWithoutHub } from './record-command.ts';
import { type CliContext, printLine } from './terminal/context.ts';
import { progressBar } from './terminal/progress-bar.ts';

export interface BackupOptions extends ConfigOption {
  force?: boolean;
}

/** `zoo backup FILE`. */
export async function backup(context: CliContext, file: string, options: BackupOptions): Promise<void> {
  const { config } = await loadOwnConfig(context, options);
  const { backupStore } = await import('../store/backup.ts');
  const target = resolve(context.cwd, file);
  // Reports an unwritable folder, because SQLite's error does not name it. The store reports a missing folder.
  await access(dirname(target), constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await backupStore({ db: config.db, file: target, force: options.force ?? false });
  printLine(context, `Saved: ${file}`);
}

/** `zoo restore FILE`. */
export async function restore(context: CliContext, file: string, options: BackupOptions): Promise<void> {
  const loaded = await loadOwnConfig(context, options);
  const { config, dataDir } = loaded;
  const { restoreStore } = await import('../store/backup.ts');
  const bar = progressBar(context);
  const { keptFile } = await restoreStore({
    db: config.db,
    file: resolve(context.cwd, file),
    force: options.force ?? false,
    dataDir,
    secret: loaded.lookUp('AGENT_ZOO_SECRET'),
    onProgress: (progress) => showLogProgress(bar, progress),
  }).finally(bar.clear);
  printLine(context, `Restored: ${file}`);
  if (keptFile !== null) printLine(context, `The previous data is kept in: ${showPath(keptFile, context.cwd)}`);
  const act = { summary: 'Restore a backup', target: resolve(context.cwd, file), before: { keptFile } };
  await recordWithoutHub(loaded, 'zoo restore', act);
}

/** Loads the config. Throws INVALID_CONFIG if its `[db]` is held, because the command would not use the database that the user means. */
export async function loadOwnConfig(context: CliContext, options: ConfigOption): Promise<LoadedConfig> {
  const loaded = await loadCliConfig(context, options);
  if (!loaded.trust.held.some(({ path: [section] }) => section === 'db')) return loaded;
  const shown = showPath(loaded.file ?? '', context.cwd);
  throw new HubError(
    'INVALID_CONFIG',
    `The [db] in ${shown} is not trusted, so the command would use another database. Run "${trustCommand(loaded)}", or name the file: --config ${shown}.`,
  );
}
