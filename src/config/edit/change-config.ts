import { createHash } from 'node:crypto';
import { HubError } from '../../base/hub-error.ts';
import { unknownKeys } from '../apply-config.ts';
import type { Config } from '../config.ts';
import { foundPlace, type LoadedConfig, showPath } from '../load-config.ts';
import { parseConfig } from '../read-config.ts';
import { editToml, type TomlEdit } from './edit-toml.ts';
import { readTextFile, replaceTextFile, type TextFile } from './text-file.ts';

/** What is needed to edit the config file of a hub or a command. */
export type ConfigPlace = Pick<
  LoadedConfig,
  'file' | 'isImplied' | 'folder' | 'home' | 'dataDir' | 'lookUp' | 'trust' | 'cwd'
>;

/** A change to the config file that has been checked but not written yet. */
export interface PlannedChange {
  file: TextFile;
  before: string;
  after: string;
  /** The whole file as it would be read. */
  config: Config;
}

/** Reads the config file for editing. Throws NOT_FOUND if there is none. */
export async function readConfigFile(place: Pick<ConfigPlace, 'file' | 'isImplied' | 'cwd'>): Promise<TextFile> {
  // A .ctx folder with scripts has no file to edit.
  if (place.file === null || place.isImplied)
    throw new HubError('NOT_FOUND', 'There is no config file. "zoo init" creates one.');
  return readTextFile({ path: place.file, shown: showPath(place.file, place.cwd) });
}

/** Identifies the content of the config file, so that a change can be refused if somebody else has changed it. */
export function configHash({ text }: Pick<TextFile, 'text'>): string {
  return createHash('sha256')
    .update(text ?? '')
    .digest('hex')
    .slice(0, 32);
}

/**
 * Applies changes to the text of the config, and checks the result by reading it as a config. Writes nothing. With `hash`, throws CONFLICT
 * if the file is not the one that the user has seen. Throws INVALID_CONFIG if a value is wrong, or cannot be changed by itself.
 */
export async function planChange(
  place: ConfigPlace,
  edits: readonly TomlEdit[],
  { hash }: { hash?: string | undefined } = {},
): Promise<PlannedChange> {
  const file = await readConfigFile(place);
  const { shown, text: before = '' } = file;
  if (hash !== undefined && hash !== configHash(file))
    throw new HubError(
      'CONFLICT',
      `${shown} has changed since you opened it. Nothing was written. Reload it and try again.`,
    );
  const after = editToml(before, edits, shown);
  const earlier = unknownKeys(parseConfig(normalized(before), shown, place.lookUp));
  const config = parseConfig(normalized(after), shown, place.lookUp);
  const unknown = unknownKeys(config).find((message) => !earlier.includes(message));
  if (unknown !== undefined)
    throw new HubError('INVALID_CONFIG', `${unknown.replace(' was ignored', '')} Nothing was written.`);
  return { file, before, after, config };
}

/**
 * Writes a planned change, and keeps the folder trusted if everything in it was trusted before. Returns false if something in the folder is
 * held, so that the change is held, too. Throws CONFLICT if the file has changed meanwhile.
 */
export async function writeChange(
  place: ConfigPlace,
  { file, before, after }: Omit<PlannedChange, 'config'>,
  { files = [] }: { files?: readonly string[] } = {},
): Promise<{ isTrusted: boolean }> {
  if (after !== before) await replaceTextFile(file, after);
  const found = foundPlace(place);
  if (!found) return { isTrusted: true };
  const { trustOwnWriting } = await import('../trust/remember-trust.ts');
  const texts = { before: normalized(before), after: normalized(after) };
  return { isTrusted: await trustOwnWriting({ place: found, ...texts, files }) };
}

/** The text as the parser gets it when the config is read. */
export function normalized(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
}
