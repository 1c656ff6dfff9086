import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { HubError } from '../base/hub-error.ts';
import { realPath } from '../base/real-path.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, printLine } from '../cli/terminal/context.ts';
import { dataDirOf, workingFolderConfigs } from './find-config.ts';
import { showPath } from './load-config.ts';
import { starterConfig } from './zoo-toml.cli.ts';

/**
 * `zoo init`: writes a zoo.toml, or the file that --config names. If the folder has a config, even one of Context Harness, prepares the
 * database instead and writes no config, because a zoo.toml would hide the other one.
 */
export async function initConfig(context: CliContext, options: ConfigOption = {}): Promise<void> {
  const { cwd, env } = context;
  const named = options.config ?? (env.ZOO_CONFIG || env.CTX_CONFIG || undefined);
  const existing = (named === undefined ? workingFolderConfigs : [named]).find((name) =>
    existsSync(resolve(cwd, name)),
  );
  if (existing !== undefined) return prepare(context, showPath(resolve(cwd, existing), cwd), options);
  const file = resolve(cwd, named ?? 'zoo.toml');
  const shown = showPath(file, context.cwd);
  await mkdir(dirname(file), { recursive: true });
  await writeNew(file, starterConfig, `Another process has just created ${shown}. It was not changed.`);
  if (file === join(cwd, 'zoo.toml')) await trustNewConfig(context, starterConfig);
  printLine(context, `Created: ${shown}`);
  printLine(context, 'Next:\n');
  const config = options.config === undefined ? '' : ` --config ${shown}`;
  printLine(context, `  zoo agent test code-reviewer --arg focus="error handling"${config}`);
  printLine(context, `  zoo serve --open${config}`);
  printLine(context, `\nAll folders share one database. Set [db] path in ${shown} to give this folder its own.`);
}

/** Opens the database, which creates it if it does not exist. */
async function prepare(context: CliContext, shown: string, options: ConfigOption): Promise<void> {
  await withHub(context, options, async ({ store, config }) => {
    const data = store.kind === 'sqlite' ? showPath(store.location, context.cwd) : store.location;
    printLine(context, `${shown} already exists. It was not changed.`);
    printLine(context, `Database initialized: ${data}`);
    printLine(context, 'Next:\n');
    if (Object.keys(config.config.connectors).length > 0) printLine(context, '  zoo sync');
    printLine(context, '  zoo serve --open');
  });
}

/**
 * Trusts a zoo.toml that a command has just created in the working folder, and the new files it names. Returns false if the folder has scripts
 * that the user has not trusted.
 */
export async function trustNewConfig(
  context: CliContext,
  text: string,
  files: readonly string[] = [],
): Promise<boolean> {
  const { cwd, env, home } = context;
  const { trustOwnWriting } = await import('./trust/remember-trust.ts');
  const dataDir = dataDirOf({ cwd, env, home });
  const place = { folder: cwd, realFolder: realPath(cwd), home, dataDir, lookUp: (name: string) => env[name] };
  return trustOwnWriting({ place, before: '', after: text, files });
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
