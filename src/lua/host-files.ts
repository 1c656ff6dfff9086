import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { LuaRaise } from './lua-machine.ts';

const maxFileBytes = 10 * 1024 * 1024;
const maxEntries = 10_000;

/** `fs.read` and `fs.list`: only what lies, by its real path, in the folder of the script. */
export interface ScriptFiles {
  read(path: string): Buffer;
  /** Names, sorted; folders end with a slash. */
  list(path: string): string[];
}

export function scriptFiles(folder: string): ScriptFiles {
  return {
    read: (path) => readInside({ file: find(path), maxBytes: maxFileBytes, shown: path }),
    list(path) {
      const entries = attempt(path, () => readdirSync(find(path), { withFileTypes: true }));
      if (entries.length > maxEntries) {
        throw new LuaRaise(`"${path}" has ${entries.length} entries; at most ${maxEntries} can be listed`);
      }
      return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
    },
  };

  function find(path: string): string {
    if (isAbsolute(path) || path.includes('\0') || path.includes('\\') || path.split('/').includes('..')) {
      throw new LuaRaise(`"${path}" is outside the script's folder; give a path inside it, without ".."`);
    }
    const root = attempt(path, () => realpathSync(folder));
    const real = attempt(path, () => realpathSync(join(root, path)));
    const inside = relative(root, real);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
      throw new LuaRaise(`"${path}" leads out of the script's folder by a symbolic link`);
    }
    return real;
  }
}

/** A regular file, never a pipe or a device: those could hold the thread. */
export function readInside(options: { file: string; maxBytes: number; shown?: string }): Buffer {
  const { file, maxBytes, shown } = options;
  return attempt(shown, () => {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(descriptor);
      if (!stat.isFile()) throw new LuaRaise(`${named(shown)}is not a file`);
      if (stat.size > maxBytes) {
        throw new LuaRaise(`${named(shown)}has ${stat.size} bytes; at most ${maxBytes} are read`);
      }
      const bytes = Buffer.alloc(stat.size);
      let length = 0;
      while (length < bytes.length) {
        const count = readSync(descriptor, bytes, length, bytes.length - length, length);
        if (count === 0) break;
        length += count;
      }
      return bytes.subarray(0, length);
    } finally {
      closeSync(descriptor);
    }
  });
}

function attempt<T>(shown: string | undefined, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof LuaRaise) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new LuaRaise(`${named(shown)}cannot be read: ${reasons[code] ?? code}`);
  }
}

const named = (shown: string | undefined) => (shown === undefined ? '' : `"${shown}" `);

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission is denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it is not a folder',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'its name is too long',
};
