import { resolve } from 'node:path';
import { type CliContext, printLine } from './context.ts';
import { type ConfigOption, loadCliConfig } from './open-hub.ts';

export interface BackupOptions extends ConfigOption {
  force?: boolean;
}

/** `zoo backup FILE`. */
export async function backup(context: CliContext, file: string, options: BackupOptions): Promise<void> {
  const { config } = await loadCliConfig(context, options);
  const { backupStore } = await import('../store/backup.ts');
  await backupStore({ db: config.db, file: resolve(context.cwd, file), force: options.force ?? false });
  printLine(context, `Saved: ${file}`);
}

/** `zoo restore FILE`. */
export async function restore(context: CliContext, file: string, options: BackupOptions): Promise<void> {
  const { config } = await loadCliConfig(context, options);
  const { restoreStore } = await import('../store/backup.ts');
  await restoreStore({ db: config.db, file: resolve(context.cwd, file), force: options.force ?? false });
  printLine(context, `Restored from: ${file}`);
}
