import { appendFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HubError } from '../base/hub-error.ts';
import { type CliContext, printLine } from '../cli/terminal/context.ts';
import { trustNewConfig, writeNew } from './init.cli.ts';
import { foundPlace, type LoadedConfig, showPath } from './load-config.ts';
import { parseConfig, readConfigText } from './read-config.ts';
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
  // A .ctx folder with scripts has no file to extend.
  const current = loaded.isImplied ? null : loaded.file;
  const shown = current === null ? 'zoo.toml' : showPath(current, context.cwd);
  const text = current === null ? '' : (await readConfigText(current, shown)).text;
  const addition = `${text === '' || text.endsWith('\n') ? '' : '\n'}${text.trim() === '' ? '' : '\n'}${section}`;
  checkExtended(() => parseConfig(text + addition, shown, loaded.lookUp), shown, section);
  if (file) await writeScript(context, join(loaded.folder, file.path), file.text);
  const files = file ? [file.path] : [];
  let isTrusted = true;
  if (current === null) {
    await writeNew(join(context.cwd, 'zoo.toml'), section, 'Another process has just created zoo.toml. Try again.');
    isTrusted = await trustNewConfig(context, section, files);
    printLine(context, 'Created: zoo.toml');
  } else {
    await appendFile(current, addition);
    printLine(context, `Changed: ${shown}`);
    const place = foundPlace(loaded);
    const { trustOwnWriting } = await import('./trust/remember-trust.ts');
    if (place) isTrusted = await trustOwnWriting({ place, before: text, after: text + addition, files });
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

/** Checks that the extended config is valid. For example, no section can follow an inline table `agents = { … }`. */
function checkExtended(parse: () => unknown, shown: string, section: string): void {
  try {
    parse();
  } catch (error) {
    throw new HubError(
      'INVALID_CONFIG',
      `A new section cannot be appended to ${shown}. The file was not changed. Add this by hand: ${section.trim()}`,
      { cause: error },
    );
  }
}
