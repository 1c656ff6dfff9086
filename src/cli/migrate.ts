import { loadOwnConfig } from './backup.ts';
import type { ConfigOption } from './open-hub.ts';
import { recordWithoutHub } from './record-command.ts';
import { type CliContext, printJson, printLine } from './terminal/context.ts';

/** `zoo migrate`. */
export async function migrate(
  context: CliContext,
  options: ConfigOption & { contract?: boolean; json?: boolean },
): Promise<void> {
  const loaded = await loadOwnConfig(context, options);
  const { migrateStore } = await import('../store/migrate-store.ts');
  const isForced = options.contract ?? false;
  const migrated = await migrateStore(loaded.config.db, { isForced });
  if (isForced)
    await recordWithoutHub(loaded, 'zoo migrate', {
      summary: 'Remove what older versions use',
      target: migrated.location,
    });
  if (options.json) return printJson(context, migrated);
  printLine(context, `The tables of ${migrated.location} are up to date (${migrated.version}).`);
  for (const { who, version } of migrated.processes)
    printLine(context, `In use by ${who}: ${version ?? 'an earlier version'}`);
  for (const { name, waitsFor } of migrated.waiting)
    printLine(
      context,
      `${name} waits until these have stopped: ${waitsFor.join(', ')}. Stop them, or run "zoo migrate --contract": they cannot use the database after that.`,
    );
}
