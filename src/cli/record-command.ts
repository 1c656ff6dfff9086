import { silentLogger } from '../base/logger.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { type Act, actRecorder, type RecordsActs } from '../decisions/record-act.ts';
import type { CliContext } from './terminal/context.ts';
import { printableLine } from './terminal/text-width.ts';

type CommandAct = Omit<Act, 'surface' | 'act' | 'by'>;

/** Logs an administrative command. `command` is how a person would call it: `zoo agent delete`. */
export function recordCommand({ recordAct }: RecordsActs, command: string, act: CommandAct): Promise<void> {
  return recordAct({ surface: 'cli', act: command, ...act });
}

/** Does the same for a command that opens no hub. */
export async function recordWithoutHub(
  { config, dataDir, secrets, lookUp }: Pick<LoadedConfig, 'config' | 'dataDir' | 'secrets' | 'lookUp'>,
  command: string,
  act: CommandAct,
): Promise<void> {
  const [{ openStore }, { learningRedact }] = await Promise.all([
    import('../store/open-store.ts'),
    import('../tools/redact/redact.ts'),
  ]);
  const { redact } = learningRedact(secrets);
  const secret = lookUp('AGENT_ZOO_SECRET');
  const store = await openStore({ db: config.db, logger: silentLogger, redact, dataDir, secret });
  try {
    const recordAct = actRecorder({ decisions: store.decisions, clock: store.clock, redact });
    await recordCommand({ recordAct }, command, act);
  } finally {
    await store.close();
  }
}

/** Logs that the user trusted a folder, in the database that its config names from now on. Trust does not depend on it. */
export async function recordTrust(context: CliContext, loaded: LoadedConfig): Promise<void> {
  const { file, trust } = loaded;
  const act = {
    summary: 'Trust a folder',
    target: trust.folder ?? file ?? '',
    after: trust.parts.map(({ key }) => key),
  };
  await recordWithoutHub(loaded, 'zoo trust', act).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    context.stderr.write(`zoo: This could not be written to the log: ${printableLine(reason)}\n`);
  });
}
