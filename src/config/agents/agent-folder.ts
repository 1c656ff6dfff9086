import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** TsAgent's names for the agent file of a folder, in the order in which it looks for them. */
const agentFileNames = ['tsagent.yaml', 'tsagent.yml', 'tsagent.json'];
const promptFile = 'prompt.md';
const itemFolders = { rules: 'rules', references: 'refs' } as const;
const itemFile = /\.mdt$/i;

/** Returns the agent file for a path that may be its folder. If there is none, returns the name that would be read first. */
export function agentFileAt(path: string): string {
  if (!isFolder(path)) return path;
  const names = agentFileNames.map((name) => join(path, name));
  return names.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile()) ?? join(path, 'tsagent.yaml');
}

/** Files beside an agent file that belong to the agent: variables for every file; prompt, rules and references for a JSON file. */
export interface AgentNeighbours {
  env: string | undefined;
  prompt: string | undefined;
  rules: readonly string[];
  references: readonly string[];
}

/** Finds the files that exist. A file in our own format has no prompt, rules or references beside it, but they do no harm there. */
export function findNeighbours(file: string): AgentNeighbours {
  const folder = dirname(file);
  const existing = (name: string) => {
    const path = join(folder, name);
    return statSync(path, { throwIfNoEntry: false })?.isFile() ? path : undefined;
  };
  const env = existing('.env');
  if (!isJson(file)) return { env, prompt: undefined, rules: [], references: [] };
  return {
    env,
    prompt: existing(promptFile),
    rules: itemFiles(join(folder, itemFolders.rules)),
    references: itemFiles(join(folder, itemFolders.references)),
  };
}

export function neighbourFiles({ env, prompt, rules, references }: AgentNeighbours): string[] {
  return [env, prompt, ...rules, ...references].filter((path) => path !== undefined);
}

/** Returns the files and folders whose changes concern the agent, whether they exist or not. */
export function watchedPlaces(file: string): string[] {
  const names = isJson(file) ? ['.env', promptFile, ...Object.values(itemFolders)] : ['.env'];
  return names.map((name) => join(dirname(file), name));
}

/** Values of a `.env` are secrets: nothing shows or stores its text. */
export function isSecretFile(path: string): boolean {
  return /(?:^|[\\/])\.env$/.test(path);
}

function isJson(file: string): boolean {
  return /\.json$/i.test(file);
}

function itemFiles(folder: string): string[] {
  if (!isFolder(folder)) return [];
  const names = readdirSync(folder).filter((name) => itemFile.test(name));
  return names.sort().map((name) => join(folder, name));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
