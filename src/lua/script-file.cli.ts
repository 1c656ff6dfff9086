import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { HubError } from '../base/hub-error.ts';
import { isRecord } from '../base/is-record.ts';
import type { CliContext } from '../cli/terminal/context.ts';
import { type LoadedConfig, showPath } from '../config/load-config.ts';
import { parseScriptTable, type ScriptSection } from '../config/script-sections.ts';
import { trustCommand } from '../config/trust/config-trust.ts';

/** Tells whether a command names a script by its file, such as `tools/echo.lua`, instead of by its section. */
export function isScriptFile(name: string): boolean {
  return /\.lua$/i.test(name) || /[\\/]/.test(name);
}

export interface ScriptFileOptions {
  kind: 'tools' | 'connectors';
  /** The section whose settings apply. */
  source: string | undefined;
  timeoutMs: number;
}

/**
 * Returns a section for a file that a command names, with the settings of another section or with none. The user chose the file,
 * so it needs no trust; the settings do. Throws NOT_FOUND for an unknown section, INVALID_CONFIG for a broken one.
 */
export function sectionOfFile(
  context: CliContext,
  loaded: LoadedConfig,
  { file, kind, source, timeoutMs }: ScriptFileOptions & { file: string },
): ScriptSection {
  const path = resolve(context.cwd, file);
  const named = { path, shown: showPath(path, context.cwd) };
  if (source === undefined) {
    const name = basename(path)
      .replace(/\.[^.]*$/, '')
      .replace(/[^A-Za-z0-9_-]+/g, '_')
      .slice(0, 59);
    return { ...named, name, section: `${kind}.script.${name}`, timeoutMs, config: {}, allowEnv: [], allowHosts: [] };
  }
  return { ...settingsOf(loaded, kind, source), ...named };
}

function settingsOf(loaded: LoadedConfig, kind: ScriptFileOptions['kind'], source: string): ScriptSection {
  const section = `${kind}.script.${source}`;
  const scripts = loaded.config[kind].script;
  const raw = isRecord(scripts) && Object.hasOwn(scripts, source) ? scripts[source] : undefined;
  if (!isRecord(raw)) {
    const isHeld = loaded.trust.held.some(({ path }) => path.join('.') === section);
    const names = isRecord(scripts) ? Object.keys(scripts).slice(0, 12).join(', ') : '';
    const why = isHeld
      ? `[${section}] is held. Run "${trustCommand(loaded)}" to see it and to allow it.`
      : `The config has no [${section}]. Available: ${names || 'none'}.`;
    throw new HubError('NOT_FOUND', why);
  }
  const parsed = parseScriptTable(loaded, { id: source, section, raw });
  if ('section' in parsed) return parsed.section;
  throw new HubError('INVALID_CONFIG', parsed.issues.map(({ path, message }) => `${path}: ${message}`).join('; '));
}

/** Reads a script for a single run. */
export async function readScript({ path }: Pick<ScriptSection, 'path'>): Promise<{ text: string; hash: string }> {
  const text = await readFile(path, 'utf8');
  return { text, hash: createHash('sha256').update(text).digest('hex') };
}
