import { closeSync, constants, fstatSync, opendirSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { LuaRaise } from '../sandbox/lua-machine.ts';

const maxFileBytes = 10 * 1024 * 1024;

/** `fs.read` and `fs.list`, limited by real path to the folder of the script. */
export interface ScriptFiles {
  read(path: string): Buffer;
  /** Returns sorted names. Folders end with a slash. */
  list(path: string): string[];
}

export function scriptFiles(folder: string, maxEntries = 10_000): ScriptFiles {
  return {
    read(path) {
      const again = () => statSync(find(path));
      return readInside({ file: find(path), maxBytes: maxFileBytes, shown: path, expected: again });
    },
    list(path) {
      const folder = find(path);
      const names = attempt(path, () => namesIn(folder, path));
      if (find(path) !== folder) throw new LuaRaise(`"${path}" was replaced while it was read`);
      return names.sort();
    },
  };

  function namesIn(folder: string, shown: string): string[] {
    const directory = opendirSync(folder);
    try {
      const names: string[] = [];
      for (let entry = directory.readSync(); entry; entry = directory.readSync()) {
        if (names.length >= maxEntries) {
          throw new LuaRaise(`"${shown}" has more than ${maxEntries} entries, the maximum for a list`);
        }
        names.push(entry.isDirectory() ? `${entry.name}/` : entry.name);
      }
      return names;
    } finally {
      directory.closeSync();
    }
  }

  function find(path: string): string {
    if (isAbsolute(path) || path.includes('\0') || path.includes('\\') || path.split('/').includes('..')) {
      throw new LuaRaise(`"${path}" is outside the script's folder; use a path inside it, without ".."`);
    }
    const root = attempt(path, () => realpathSync(folder));
    const real = attempt(path, () => realpathSync(join(root, path)));
    const inside = relative(root, real);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
      throw new LuaRaise(`"${path}" leads out of the script's folder through a symbolic link`);
    }
    return real;
  }
}

interface ReadInside {
  file: string;
  maxBytes: number;
  shown?: string;
  /** Returns the file that the checked path leads to, to detect that it was replaced after the check. */
  expected?(): { ino: number; dev: number };
}

/** Reads a regular file. Rejects pipes and devices, which could block the thread. */
export function readInside(options: ReadInside): Buffer {
  const { file, maxBytes, shown, expected } = options;
  return attempt(shown, () => {
    const noLink = expected ? constants.O_NOFOLLOW : 0;
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | noLink);
    try {
      const stat = fstatSync(descriptor);
      const right = expected?.() ?? stat;
      if (stat.ino !== right.ino || stat.dev !== right.dev) {
        throw new LuaRaise(`${named(shown)}was replaced while it was read`);
      }
      if (!stat.isFile()) throw new LuaRaise(`${named(shown)}is not a file`);
      if (stat.size > maxBytes) {
        throw new LuaRaise(`${named(shown)}has ${stat.size} bytes; the maximum is ${maxBytes}`);
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
