import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { isRecord } from '../../base/is-record.ts';
import { isInside, realPath } from '../../base/real-path.ts';
import { agentFileAt, findNeighbours, isSecretFile, neighbourFiles } from '../agents/agent-folder.ts';
import { fromHome } from '../find-config.ts';
import { expandVariables, type LookUp } from '../read-config.ts';
import type { HeldPart } from './held-half.ts';

/** A file that runs because a part of the config names it. */
export interface PartFile {
  /** Absolute. */
  path: string;
  /** Relative to the folder of the config if it is inside. */
  name: string;
  /** The hash of the bytes; null if there is no such file. */
  hash: string | null;
  /** In bytes. */
  size: number;
  /** Undefined for large, binary and secret files. */
  text: string | undefined;
}

export interface PartFileOptions {
  /** The folder of the config, and its real path. */
  folder: string;
  realFolder: string;
  home: string;
  lookUp: LookUp;
}

const maxFiles = 200;
/** Larger files are compared by size and time. No script can be that large. */
const maxBytes = 16 * 1024 * 1024;
const maxTextBytes = 256 * 1024;
const codeFile = /\.[cm]?[jt]s$/;

/**
 * Reads the files that a part runs: the script of a section with what it imports by a relative name, an agent file with what lies beside
 * it, or the files in the folder that the command of a server names. Code that is loaded in another way (packages, `npm start`, computed names) cannot be found by reading.
 */
export function readPartFiles({ path, value }: HeldPart, options: PartFileOptions): PartFile[] {
  if (!isRecord(value)) return [];
  if (path[0] === 'mcp_servers' || path[0] === 'mcpServers') return commandFiles(value, options);
  const isScript = path[0] === 'agents' || path[0] === 'tools' || path[0] === 'connectors';
  if (!isScript || typeof value.path !== 'string') return [];
  const file = resolve(options.folder, fromHome(expandVariables(value.path, options.lookUp), options.home));
  if (codeFile.test(file)) return withImports(file, options);
  return path[0] === 'agents' && !file.endsWith('.lua') ? agentFiles(file, options) : [readPartFile(file, options)];
}

/** An agent file, and what belongs to the agent beside it. */
function agentFiles(path: string, options: PartFileOptions): PartFile[] {
  const file = agentFileAt(path);
  return [file, ...neighbourFiles(findNeighbours(file))].map((each) => {
    const read = readPartFile(each, options);
    return isSecretFile(each) ? { ...read, text: undefined } : read;
  });
}

/** The script itself comes first. */
function withImports(file: string, options: PartFileOptions): PartFile[] {
  const found = new Map<string, PartFile>();
  const queue = [file];
  for (let next = queue.shift(); next !== undefined && found.size < maxFiles; next = queue.shift()) {
    if (found.has(next)) continue;
    const { bytes, ...read } = readBytes(next, options);
    found.set(next, read);
    for (const name of importedNames(bytes?.toString('utf8') ?? '')) queue.push(resolve(dirname(next), name));
  }
  return [...found.values()];
}

/** Finds `from './x.ts'`, `import './x.ts'`, `import('./x.ts')` and `require('./x.js')`. */
function importedNames(text: string): string[] {
  const pattern = /\b(?:from|import|require)\b\s*\(?\s*(["'`])(\.{1,2}\/[^"'`\n]+)\1/g;
  return [...text.matchAll(pattern)].map(([, , name = '']) => name);
}

function commandFiles({ command, args, cwd }: Record<string, unknown>, options: PartFileOptions): PartFile[] {
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string');
  const expand = (word: string) => fromHome(expandVariables(word, options.lookUp), options.home);
  const folder = resolve(options.folder, typeof cwd === 'string' ? expand(cwd) : '');
  return words
    .map((word) => resolve(folder, expand(word)))
    .filter((path) => isInside(realPath(path), options.realFolder) && isFile(path))
    .map((path) => readPartFile(path, options));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function readPartFile(path: string, options: Pick<PartFileOptions, 'realFolder'>): PartFile {
  const { bytes: _, ...file } = readBytes(path, options);
  return file;
}

function readBytes(
  path: string,
  { realFolder }: Pick<PartFileOptions, 'realFolder'>,
): PartFile & { bytes: Buffer | null } {
  const real = realPath(path);
  const name = isInside(real, realFolder) ? relative(realFolder, real).replaceAll('\\', '/') : path;
  const found = attempt(() => statSync(path));
  if (!found?.isFile()) return { path, name, hash: null, size: 0, text: undefined, bytes: null };
  const { size } = found;
  if (size > maxBytes)
    return { path, name, hash: `${size} bytes, ${found.mtimeMs}`, size, text: undefined, bytes: null };
  const bytes = attempt(() => readFileSync(path));
  return { path, name, hash: bytes && hashOf(bytes), size, text: bytes ? textOf(bytes) : undefined, bytes };
}

/** Says why the text of a file cannot be shown, and where it is; undefined if it can. */
export function whyUnseen({ hash, size, path, text }: PartFile): string | undefined {
  if (text !== undefined) return undefined;
  if (hash === null) return 'There is no such file, or it cannot be read.';
  if (isSecretFile(path)) return `It contains secrets, so it is not shown. Its path is ${path}.`;
  return `It is too large to show (${size} bytes), or not text. Open ${path} to read it.`;
}

export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function textOf(bytes: Buffer): string | undefined {
  if (bytes.length > maxTextBytes) return undefined;
  return attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)) ?? undefined;
}

function attempt<T>(run: () => T): T | null {
  try {
    return run();
  } catch {
    return null;
  }
}
