import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { webPackages } from './build-web.ts';
import { bundleZoo } from './bundle.ts';
import { billOfMaterials, bundledPackages, thirdPartyNotices } from './bundled-packages.ts';
import { writeLibraryEntry } from './library-entry.ts';
import { hideSqlLibrary } from './public-types.ts';
import { root, runStep } from './run-step.ts';

/**
 * Builds the package: the web app, the command and the library as bundled JavaScript, and type declarations. A checkout needs
 * only the web app, because Node runs its .ts files.
 */
const dist = join(root, 'dist');
for (const name of existsSync(dist) ? readdirSync(dist) : []) {
  // Keeps dist/web, because a hub may be serving it, and it is rebuilt only if needed.
  if (name !== 'web') rmSync(join(dist, name), { recursive: true, force: true });
}
await need(runStep('node', ['scripts/build-web.ts']));
const { inputs, outputs } = await bundleZoo('dist');
const product = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
  'name' | 'version' | 'license',
  string
>;
const packages = bundledPackages(inputs);
writeFileSync(join(root, 'dist/third-party-notices.txt'), thirdPartyNotices(packages));
const bill = billOfMaterials(product, [...packages, ...(await webPackages())]);
writeFileSync(join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(bill, undefined, 2)}\n`);
await writeLibraryEntry();
// Only writes the declarations. `npm run check` checks the types.
await need(runStep('tsc', ['-p', 'tsconfig.build.json', '--noCheck']));
hideSqlLibrary();

const bytes = outputs.reduce((sum, file) => sum + statSync(join(root, file)).size, 0);
process.stdout.write(
  `agent-zoo ${product.version}: dist built, ${(bytes / 1024).toFixed(0)} KB of JavaScript for Node\n`,
);

async function need(step: Promise<number>): Promise<void> {
  const code = await step;
  if (code !== 0) process.exit(code);
}
