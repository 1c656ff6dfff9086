import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HubError } from '../base/hub-error.ts';
import { realPath } from '../base/real-path.ts';
import { type CliContext, printLine } from '../cli/terminal/context.ts';
import { dataDirOf } from './find-config.ts';
import { starterConfig } from './zoo-toml.cli.ts';

/** `zoo init`. Throws CONFLICT if zoo.toml exists. */
export async function initConfig(context: CliContext): Promise<void> {
  const file = join(context.cwd, 'zoo.toml');
  await writeNew(file, starterConfig, 'zoo.toml already exists. It was not changed.');
  await trustNewConfig(context, starterConfig);
  printLine(context, 'Created: zoo.toml');
  printLine(context, 'Next:\n');
  printLine(context, '  zoo agent test code-reviewer --arg focus="error handling"');
  printLine(context, '  zoo serve --open');
  printLine(context, '\nAll folders share one database. Set [db] path in zoo.toml to give this folder its own.');
}

/** Trusts a zoo.toml that a command has just created in the working folder, and the new files it names. */
export async function trustNewConfig(context: CliContext, text: string, files: readonly string[] = []): Promise<void> {
  const { cwd, env, home } = context;
  const { trustOwnWriting } = await import('./trust/remember-trust.ts');
  const dataDir = dataDirOf({ cwd, env, home });
  const place = { folder: cwd, realFolder: realPath(cwd), home, dataDir, lookUp: (name: string) => env[name] };
  await trustOwnWriting({ place, before: '', after: text, files });
}

/** Writes a new file. Throws CONFLICT with the given message if it exists. */
export async function writeNew(file: string, text: string, refusal: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw new HubError('CONFLICT', refusal);
    throw error;
  }
}
