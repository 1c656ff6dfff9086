import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve, sep } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { hashSources } from './hash-sources.ts';
import { lazyPackages } from './lazy-packages.ts';
import { root } from './run-step.ts';

interface Bundle {
  /** All source files, as paths from the project folder. */
  inputs: string[];
  /** The generated JavaScript files, as paths from the project folder. */
  outputs: string[];
}

/** The file in a bundle's folder that contains the hash of its sources. */
export const bundleMarker = '.built-from';

/** Returns a hash of all sources of the bundle. */
export function hashBundleSources(): Promise<string> {
  return hashSources(['src/**/*', 'bin/*', 'scripts/{bundle,lazy-packages}.ts', 'package.json', 'package-lock.json']);
}

/** Bundles the command, the library and the worker threads. Reading one file instead of hundreds makes start-up fast. */
export async function bundleZoo(outdir: string): Promise<Bundle> {
  const hash = await hashBundleSources();
  // `workerUrl` finds the threads by these names. They share no chunks with the command, because shared code would be split
  // into more and smaller files, and each file slows down every start.
  const workers = [
    'src/knowledge/index/index-worker.ts',
    'src/lua/sandbox/lua-worker.ts',
    'src/models/embeddings/embed-worker.ts',
  ];
  const built = [
    await build({ ...options, outdir, entryPoints: command, plugins: [...plugins, await wholeCore(command)] }),
    await build({ ...options, outdir, entryPoints: workers, plugins }),
  ];
  const wasm = createRequire(import.meta.url).resolve('wasmoon/dist/glue.wasm');
  copyFileSync(wasm, resolve(root, outdir, 'lua/sandbox/glue.wasm'));
  writeFileSync(resolve(root, outdir, bundleMarker), hash);
  return {
    inputs: [...built.flatMap(({ metafile }) => Object.keys(metafile.inputs)), 'node_modules/wasmoon/dist/glue.wasm'],
    outputs: [...new Set(built.flatMap(({ metafile }) => Object.keys(metafile.outputs)))],
  };
}

/** Leaves out Zod's messages in other languages, which are most of its size. */
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

const plugins = [englishZod, lazyPackages];

const options = {
  absWorkingDir: root,
  outbase: 'src',
  // The web root is looked up next to this folder.
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
  // CommonJS dependencies load Node's modules with require.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions;

const command = ['src/cli/main.ts', 'src/index.ts'];
/** The code that `zoo mcp` needs before its first reply. MCP clients wait for it at every start. */
const core = ['src/cli/mcp.ts', 'src/mcp-server/stdio/stdio.ts', 'src/hub.ts'];
/**
 * Files that run before the core or without it: one replies to an MCP client before the hub is loaded, the other parses the
 * command line and then loads only the code of that command (`zoo --help` needs no hub).
 */
const light = ['src/cli/mcp-front.ts', 'src/cli/program.ts'];

/**
 * Keeps the core in one file. A bundler groups code by the entries that reach it, and every lazily loaded file is an entry, so
 * the core would be split into about seventy chunks. Here, each of those entries reaches the whole core.
 */
async function wholeCore(entryPoints: string[]): Promise<Plugin> {
  const { metafile } = await build({ ...options, outdir: 'dist', entryPoints, plugins, write: false });
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
