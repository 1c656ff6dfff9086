import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './run-step.ts';

/**
 * Writes the entry of the package: a short file that any Node version understands. It reports an unsupported Node before the
 * library is loaded, because an older one would fail on its syntax. It loads the library synchronously, so `require` works, too.
 */
export async function writeLibraryEntry(): Promise<void> {
  const names = Object.keys(await import(pathToFileURL(join(root, 'dist/index.js')).href));
  const check = `import { isEnough, needsNewer } from './bin/node-version.js';
const { node } = process.versions;
if (!isEnough(node)) {
  throw new Error(needsNewer(\`this is Node \${node}\`) + ': install it, or run your program with "npx -p node@24 node FILE".');
}`;
  const entries = {
    'dist/entry.js': `import { createRequire } from 'node:module'; ${check}
export const { ${names.join(', ')} } = createRequire(import.meta.url)('./index.js');`,
    'dist/entry.cjs': `${check} module.exports = require('./index.js');`,
  };
  for (const [outfile, contents] of Object.entries(entries)) {
    await build({
      absWorkingDir: root,
      stdin: { contents, resolveDir: root },
      outfile,
      bundle: true,
      external: ['./index.js'],
      format: outfile.endsWith('.cjs') ? 'cjs' : 'esm',
      platform: 'node',
      target: 'node14',
      logLevel: 'warning',
    });
  }
}
