import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isRecord } from '../../base/is-record.ts';
import { isInside } from '../../base/real-path.ts';
import { fromHome } from '../find-config.ts';
import { parseToml, type RawConfig } from '../read-config.ts';
import { type ScriptKind, scriptKinds, scriptsIn } from './find-scripts.ts';

export interface ProjectPlace {
  /** Paths in the config are relative to it, and `.ctx` is in it. */
  folder: string;
  home: string;
}

/**
 * Adds the scripts of `.ctx/connectors|tools|agents/NAME/`, and the tools and agents of `[registries.NAME]`, as if the config named them.
 * The config wins over `.ctx`, and `.ctx` over registries. Call it before trust is judged, so that found scripts need trust.
 * Returns the sentences about registries that are not there.
 */
export function withScripts(raw: RawConfig, place: ProjectPlace): { raw: RawConfig; missing: string[] } {
  const { folders, missing } = registryFolders(raw.registries, place);
  const local = join(place.folder, '.ctx');
  let whole = raw;
  for (const kind of scriptKinds) {
    for (const [name, path] of scriptsIn(local, kind)) whole = withScript(whole, { kind, name, path, place });
    // A registry is a catalogue: most of its connectors are for systems that the user does not have.
    for (const folder of kind === 'connectors' ? [] : folders) {
      for (const [name, path] of registryScripts(folder, kind)) whole = withScript(whole, { kind, name, path, place });
    }
  }
  return { raw: whole, missing };
}

interface FoundScript {
  kind: ScriptKind;
  name: string;
  path: string;
  place: ProjectPlace;
}

function withScript(raw: RawConfig, { kind, name, path, place: { folder } }: FoundScript): RawConfig {
  const section = isRecord(raw[kind]) ? raw[kind] : {};
  if (isNamed(section, kind, name)) return raw;
  const script = { path: isInside(path, folder) ? relative(folder, path).replaceAll('\\', '/') : path };
  return { ...raw, [kind]: { ...section, script: { ...Object(section.script), [name]: script } } };
}

/** An agent's id is unique, however the agent is defined. */
function isNamed(section: Record<string, unknown>, kind: ScriptKind, name: string): boolean {
  const tables = kind === 'agents' ? [section, ...Object.values(section)] : [section.script];
  return tables.some((table) => isRecord(table) && Object.hasOwn(table, name));
}

/** The scripts that `registry.toml` names; without a valid one, those in the usual folders. */
function registryScripts(folder: string, kind: ScriptKind): Iterable<[string, string]> {
  const manifest = readManifest(folder);
  if (!manifest) return scriptsIn(folder, kind);
  return Object.entries(Object(manifest[kind])).flatMap(([name, entry]): [string, string][] => {
    const path = isRecord(entry) && typeof entry.path === 'string' ? resolve(folder, entry.path) : '';
    return path.endsWith('.lua') && isInside(path, folder) && existsSync(path) ? [[name, path]] : [];
  });
}

const maxManifestBytes = 1024 * 1024;

/** It is read before the folder is trusted, so it may be anything: a link to a device, or a pipe. */
function readManifest(folder: string): RawConfig | undefined {
  const file = join(folder, 'registry.toml');
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > maxManifestBytes) return undefined;
    return parseToml(readFileSync(file, 'utf8'), 'registry.toml');
  } catch {
    return undefined;
  }
}

function registryFolders(
  registries: unknown,
  { folder, home }: ProjectPlace,
): { folders: string[]; missing: string[] } {
  const folders: string[] = [];
  const missing: string[] = [];
  for (const [name, entry] of Object.entries(isRecord(registries) ? registries : {})) {
    if (!isRecord(entry) || typeof entry.path !== 'string') continue;
    const path = resolve(folder, fromHome(entry.path, home));
    if (existsSync(path)) folders.push(path);
    else {
      const clone = typeof entry.url === 'string' ? ` To use its tools and agents, clone ${entry.url} there.` : '';
      missing.push(`[registries.${name}]: ${path} does not exist, so the registry is not used.${clone}`);
    }
  }
  return { folders, missing };
}
