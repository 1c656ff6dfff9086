import { access, constants } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { silentLogger } from '../base/logger.ts';
import { type LoadedConfig, showPath } from '../config/load-config.ts';
import { trustCommand } from '../config/trust/config-trust.ts';
import { showLogProgress } from '../decisions/decisions.cli.ts';
import { actRecorder } from '../decisions/record-act.ts';
import type { StoreAddress } from '../store/open-store.ts';
import { learningRedact } from '../tools/redact/redact.ts';
import { type ConfigOption, loadCliConfig, recordCommand } from './open-hub.ts';
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
  const { config, dataDir, secrets } = await loadOwnConfig(context, options);
  const { restoreStore } = await import('../store/backup.ts');
  const bar = progressBar(context);
  const { keptFile } = await restoreStore({
    db: config.db,
    file: resolve(context.cwd, file),
    force: options.force ?? false,
    dataDir,
    onProgress: (progress) => showLogProgress(bar, progress),
  }).finally(bar.clear);
  printLine(context, `Restored: ${file}`);
  if (keptFile !== null) printLine(context, `The previous data is kept in: ${showPath(keptFile, context.cwd)}`);
  await recordRestore({ db: config.db, dataDir, secrets }, { file: resolve(context.cwd, file), keptFile });
}

/** Loads the config. Throws INVALID_CONFIG if its `[db]` is held, because the command would use another database than the user means. */
async function loadOwnConfig(context: CliContext, options: BackupOptions): Promise<LoadedConfig> {
  const loaded = await loadCliConfig(context, options);
  if (!loaded.trust.held.some(({ path: [section] }) => section === 'db')) return loaded;
  const shown = showPath(loaded.file ?? '', context.cwd);
  throw new HubError(
    'INVALID_CONFIG',
    `The [db] in ${shown} is not trusted, so this would be another database. Run "${trustCommand(loaded)}", or name the file: --config ${shown}.`,
  );
}

/** Logs the restore in the restored log. */
async function recordRestore(
  { db, dataDir, secrets }: { db: StoreAddress; dataDir: string; secrets: readonly string[] },
  { file, keptFile }: { file: string; keptFile: string | null },
): Promise<void> {
  const { openStore } = await import('../store/open-store.ts');
  const { redact } = learningRedact(secrets);
  const store = await openStore({ db, clock: systemClock, logger: silentLogger, redact, dataDir });
  try {
    const recordAct = actRecorder({ decisions: store.decisions, clock: systemClock, redact });
    const act = { summary: 'Restore a backup', target: file, before: { keptFile } };
    await recordCommand({ recordAct }, 'zoo restore', act);
  } finally {
    await store.close();
  }
}
