import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve, sep } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { lazyPackages } from './lazy-packages.ts';
import { writeLibraryEntry } from './library-entry.ts';
import { root, runStep } from './run-step.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

/**
 * Builds what is published: the web app, the command and the library as bundled JavaScript (one file read instead of
 * hundreds is most of the start-up time), and type declarations. A checkout needs only the web app; Node runs its .ts files.
 */
rmSync(join(root, 'dist'), { recursive: true, force: true });
await need(runStep('node', ['scripts/build-web.ts']));
/** Zod's messages in forty languages are most of its size, and only the English ones are used. */
const englishZod: Plugin = {
  name: 'english-zod',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\.\/locales\/index\.js$/ }, (args) =>
      args.importer.includes(`${sep}zod${sep}`)
        ? { path: resolve(args.resolveDir, '../locales/en.js'), namespace: 'english-zod' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'english-zod' }, (args) => ({
      contents: `export { default as en } from ${JSON.stringify(args.path)};`,
      resolveDir: dirname(args.path),
    }));
  },
};

const options = {
  absWorkingDir: root,
  outdir: 'dist',
  outbase: 'src',
  // The web root is looked up beside this folder.
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24.11',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // The weights of the local embeddings stay in their own package.
  external: ['pg-native', 'pg-cloudflare', '@lat.md/*'],
  // CommonJS dependencies ask for Node's modules by require.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions;

const command = ['src/cli/main.ts', 'src/index.ts'];
/** What `zoo mcp` needs before it can answer. MCP clients wait for it at every start. */
const core = ['src/cli/mcp.ts', 'src/mcp-server/stdio.ts', 'src/hub.ts'];
/**
 * Files that run before the core, or without it: one replies to an MCP client while nothing is loaded yet, the other reads the
 * commands, and loads what they need when it knows which one it is (`zoo --help` needs no hub).
 */
const light = ['src/cli/mcp-front.ts', 'src/cli/program.ts'];

/**
 * Keeps the core in one file. A bundler puts into one chunk what the same entries reach, and every lazily loaded file is an
 * entry, so the core would be cut into some seventy chunks. Here each of those entries reaches the whole core.
 */
async function wholeCore(entryPoints: string[]): Promise<Plugin> {
  const { metafile } = await build({ ...options, entryPoints, plugins: [englishZod, lazyPackages], write: false });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  const lazy = imports.filter(
    ({ kind, path }) => kind === 'dynamic-import' && path.startsWith('src/') && !light.includes(path),
  );
  const entries = new Set([...lazy.map(({ path }) => path), 'src/index.ts'].map((path) => join(root, path)));
  const lines = core.map((path) => `import ${JSON.stringify(join(root, path))};`);
  return {
    name: 'whole-core',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) =>
        entries.has(path) ? { contents: `${lines.join('')}${readFileSync(path, 'utf8')}`, loader: 'ts' } : undefined,
      );
    },
  };
}

// `workerUrl` finds the threads' files by these names. They share no chunk with the command: what two sides share is cut
// into more and smaller files, and each file read is time at every start.
const built = [
  await bundle(command, [englishZod, lazyPackages, await wholeCore(command)]),
  await bundle(
    ['src/knowledge/index-worker.ts', 'src/lua/lua-worker.ts', 'src/models/embed-worker.ts'],
    [englishZod, lazyPackages],
  ),
];
const inputs = [...built.flatMap((each) => Object.keys(each.inputs)), 'node_modules/wasmoon/dist/glue.wasm'];
writeFileSync(join(root, 'dist/third-party-notices.txt'), thirdPartyNotices(inputs));
const wasm = createRequire(import.meta.url).resolve('wasmoon/dist/glue.wasm');
copyFileSync(wasm, join(root, 'dist/lua/glue.wasm'));
await writeLibraryEntry();
await need(runStep('tsc', ['-p', 'tsconfig.build.json']));

const files = new Set(built.flatMap((each) => Object.keys(each.outputs)));
const bytes = [...files].reduce((sum, file) => sum + statSync(join(root, file)).size, 0);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
process.stdout.write(`agent-zoo ${version}: dist built, ${(bytes / 1024).toFixed(0)} KB of JavaScript for Node\n`);

async function bundle(entryPoints: string[], plugins: Plugin[]): Promise<Metafile> {
  const { metafile } = await build({ ...options, entryPoints, plugins });
  return metafile;
}

async function need(step: Promise<number>): Promise<void> {
  const code = await step;
  if (code !== 0) process.exit(code);
}
