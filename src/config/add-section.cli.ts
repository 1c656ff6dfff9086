import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CliContext, printLine } from '../cli/terminal/context.ts';
import { planChange, writeChange } from './edit/change-config.ts';
import { editToml } from './edit/edit-toml.ts';
import { trustNewConfig, writeNew } from './init.cli.ts';
import { type LoadedConfig, showPath } from './load-config.ts';
import { trustCommand } from './trust/config-trust.ts';

export interface NewSection {
  /** TOML. */
  section: string;
  /** A file that the section names. Its path is relative to the config's folder. */
  file?: { path: string; text: string };
}

/**
 * Adds a section to the current config, or to a new zoo.toml, and writes the file it names. Throws CONFLICT if that file
 * exists, and INVALID_CONFIG if the section cannot be appended. In both cases nothing is written.
 */
export async function addSection(
  context: CliContext,
  loaded: Pick<LoadedConfig, 'file' | 'isImplied' | 'folder' | 'home' | 'dataDir' | 'lookUp' | 'trust'>,
  { section, file }: NewSection,
): Promise<void> {
  const shown = loaded.file === null || loaded.isImplied ? 'zoo.toml' : showPath(loaded.file, context.cwd);
  const files = file ? [file.path] : [];
  let isTrusted = true;
  // A .ctx folder with scripts has no file to extend.
  if (loaded.file === null || loaded.isImplied) {
    editToml('', [{ kind: 'append', section }], 'zoo.toml');
    if (file) await writeScript(context, join(loaded.folder, file.path), file.text);
    await writeNew(join(context.cwd, 'zoo.toml'), section, 'Another process has just created zoo.toml. Try again.');
    isTrusted = await trustNewConfig(context, section, files);
    printLine(context, 'Created: zoo.toml');
  } else {
    const planned = await planChange({ ...loaded, cwd: context.cwd }, [{ kind: 'append', section }]);
    if (file) await writeScript(context, join(loaded.folder, file.path), file.text);
    ({ isTrusted } = await writeChange({ ...loaded, cwd: context.cwd }, planned, { files }));
    printLine(context, `Changed: ${shown}`);
  }
  if (!isTrusted)
    printLine(context, `${shown} is not trusted, so the new section is held. Run "${trustCommand(loaded)}".`);
  printLine(context, 'Added to config:\n');
  for (const line of section.trimEnd().split('\n')) printLine(context, `  ${line}`);
}

async function writeScript(context: CliContext, path: string, text: string): Promise<void> {
  const shown = showPath(path, context.cwd);
  await mkdir(dirname(path), { recursive: true });
  await writeNew(path, text, `${shown} already exists. Nothing was written.`);
  printLine(context, `Created: ${shown}`);
}
