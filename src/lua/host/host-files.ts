import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { LuaRaise } from '../sandbox/lua-machine.ts';

const maxFileBytes = 10 * 1024 * 1024;

/** `fs.read` and `fs.list`, limited by real path to the folder of the script. */
export interface ScriptFiles {
  read(path: string): Buffer;
  /** Returns the entries of one folder, sorted by name. A glob selects names. */
  list(path: string, glob?: string): ScriptFile[];
}

/** An entry of a folder, with the field names of Context Harness. */
interface ScriptFile {
  /** Absolute. */
  path: string;
  size: number;
  /** Seconds since 1970. */
  modified: number;
}

export function scriptFiles(folder: string, maxEntries = 10_000): ScriptFiles {
  return {
    read(path) {
      const again = () => statSync(find(path));
      return readInside({ file: find(path), maxBytes: maxFileBytes, shown: path, expected: again });
    },
    list(path, glob) {
      const folder = find(path);
      const matches = glob === undefined ? () => true : picomatch(glob, { dot: true });
      const files = attempt(path, () =>
        namesIn(folder, path)
          .filter((name) => matches(name))
          .sort()
          .flatMap((name) => entryOf(join(folder, name))),
      );
      if (find(path) !== folder) throw new LuaRaise(`"${path}" was replaced while it was read`);
      return files;
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
        names.push(entry.name);
      }
      return names;
    } finally {
      directory.closeSync();
    }
  }

  function find(path: string): string {
    const root = attempt(path, () => realpathSync(folder));
    const wanted = resolve(root, path);
    const isPlain = !path.includes('\0') && !path.includes('\\');
    if (!isPlain || !(isInside(root, wanted) || isInside(folder, wanted))) {
      throw new LuaRaise(`"${path}" is outside the script's folder; use a path inside it`);
    }
    const real = attempt(path, () => realpathSync(wanted));
    if (!isInside(root, real)) {
      throw new LuaRaise(`"${path}" leads out of the script's folder through a symbolic link`);
    }
    return real;
  }
}

function isInside(root: string, path: string): boolean {
  const inside = relative(root, path);
  return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
}

/** Returns nothing for a file that was removed in the meantime. A link is listed as itself. */
function entryOf(path: string): ScriptFile[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat ? [{ path, size: stat.size, modified: Math.floor(stat.mtimeMs / 1_000) }] : [];
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
