import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

const namespace = 'lazy-package';

/**
 * Gives lazily imported CommonJS packages the named exports that Node provides. The bundler would create only a default export,
 * so `const { pino } = await import('pino')` would work in a checkout but be undefined in the package.
 */
export const lazyPackages: Plugin = {
  name: namespace,
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^[^.]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || path.startsWith('node:') || pluginData === namespace) return undefined;
      const found = await resolve(path, { kind, importer, resolveDir, pluginData: namespace });
      if (found.errors.length > 0 || found.external || !isCommonJs(found.path)) return found;
      return { path: found.path, namespace };
    });
    onLoad({ filter: /.*/, namespace }, async ({ path }) => {
      const names = Object.keys(await import(pathToFileURL(path).href)).filter((name) => !unnamed.has(name));
      const file = JSON.stringify(path);
      return {
        contents: `const whole = require(${file}); export default whole; export const { ${names.join(', ')} } = whole;`,
        resolveDir: dirname(path),
      };
    });
  },
};

/** The names that Node adds to the package's own exports. */
const unnamed = new Set(['default', 'module.exports', '__esModule']);

function isCommonJs(file: string): boolean {
  if (extname(file) !== '.js') return extname(file) === '.cjs';
  const manifest = findPackageJSON(pathToFileURL(file));
  if (manifest === undefined) return false;
  const { type } = JSON.parse(readFileSync(manifest, 'utf8')) as { type?: string };
  return type !== 'module';
}
