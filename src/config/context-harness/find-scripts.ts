import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The kinds of scripts that a folder may contain, in one folder each: `tools/NAME/tool.lua`. */
const kinds = { connectors: 'connector.lua', tools: 'tool.lua', agents: 'agent.lua' } as const;
export type ScriptKind = keyof typeof kinds;
export const scriptKinds = ['connectors', 'tools', 'agents'] as const satisfies readonly ScriptKind[];

/** Tells whether a folder contains scripts that work without a config. */
export function hasScripts(folder: string): boolean {
  return scriptKinds.some((kind) => scriptsIn(folder, kind).size > 0);
}

/** Returns the paths of the scripts of a kind, by name. */
export function scriptsIn(folder: string, kind: ScriptKind): Map<string, string> {
  const parent = join(folder, kind);
  const scripts = namesIn(parent).map((name) => [name, join(parent, name, kinds[kind])] as const);
  return new Map(scripts.filter(([, path]) => existsSync(path)));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
