import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { packedProject } from '../command/packed-zoo.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');

export interface SampleFolder {
  dir: string;
  /** The folder that the samples' servers may read. */
  files: string;
  /** The samples by heading. */
  samples: ReadonlyMap<string, string>;
  /** Writes a module into the folder. Replaces `'aidk'` with the library, and the samples' paths with the folder's. */
  write(name: string, code: string): Promise<void>;
  /** Runs a TypeScript module with Node. The last line it prints is JSON. */
  run(name: string, flags?: string[]): Promise<unknown>;
  /** Returns the compiler errors of all modules; empty if there are none. */
  check(): Promise<string>;
  remove(): Promise<void>;
}

/** Creates a folder for the AIDK samples, with an `npx` that starts the servers of this checkout. */
export async function sampleFolder(): Promise<SampleFolder> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'agent-zoo-aidk-')));
  const files = join(dir, 'allowed');
  const bin = join(dir, 'bin');
  await mkdir(files);
  await mkdir(bin);
  await writeFile(join(dir, 'package.json'), '{"type": "module"}');
  // Uses the published code and its types, because the types of the sources would be checked again.
  const { project } = await packedProject();
  const library = join(project, 'node_modules/agent-zoo/dist');
  await writeFile(join(dir, 'library.js'), `export * from ${JSON.stringify(join(library, 'index.js'))};`);
  await writeFile(join(dir, 'library.d.ts'), `export * from ${JSON.stringify(join(library, 'types/src/index.js'))};`);
  // Stays the parent of the server, like the real npx, so that ending it alone is not enough.
  const servers = join(root, 'node_modules');
  await writeFile(
    join(bin, 'npx'),
    `#!/bin/sh\n[ "$1" = -y ] && shift\nserver="${servers}/$1/dist/index.js"\nshift\n"${process.execPath}" "$server" "$@"\nexit $?\n`,
  );
  await chmod(join(bin, 'npx'), 0o755);
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  return {
    dir,
    files,
    samples: await readSamples(),
    async write(name, code) {
      const local = code
        .replaceAll("'aidk'", "'./library.js'")
        .replaceAll('/path/to/allowed/dir', files)
        .replaceAll('/allowed/path', files);
      await writeFile(join(dir, name), local);
    },
    async run(name, flags = []) {
      const { stdout } = await run(process.execPath, [...flags, '--no-warnings', join(dir, name)], { cwd: dir, env });
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    },
    async check() {
      const options = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8')).compilerOptions;
      // The repository's own rules beyond TypeScript's `strict`.
      const strict = { ...options, erasableSyntaxOnly: false, verbatimModuleSyntax: false, noImplicitOverride: false };
      const typeRoots = [join(root, 'node_modules/@types')];
      await writeFile(
        join(dir, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: { ...strict, typeRoots }, include: ['*.ts'] }),
      );
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      return run(process.execPath, [tsc, '-p', dir, '--checkers', '1'], { cwd: dir }).then(
        () => '',
        ({ stdout }: { stdout: string }) => stdout,
      );
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

async function readSamples(): Promise<Map<string, string>> {
  const text = await readFile(join(import.meta.dirname, 'aidk-samples.md'), 'utf8');
  const sections = text.matchAll(/^## (.+)\n\n```ts\n([\s\S]*?)\n```$/gm);
  return new Map([...sections].map(([, title = '', code = '']) => [title, code]));
}
