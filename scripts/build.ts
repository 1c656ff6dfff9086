import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleZoo } from './bundle.ts';
import { writeLibraryEntry } from './library-entry.ts';
import { root, runStep } from './run-step.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

/**
 * Builds what is published: the web app, the command and the library as bundled JavaScript, and type declarations. A checkout
 * needs only the web app; Node runs its .ts files.
 */
const dist = join(root, 'dist');
for (const name of existsSync(dist) ? readdirSync(dist) : []) {
  // A hub may be serving the app from there, and it is built anew only when it has to be.
  if (name !== 'web') rmSync(join(dist, name), { recursive: true, force: true });
}
await need(runStep('node', ['scripts/build-web.ts']));
const { inputs, outputs } = await bundleZoo('dist');
writeFileSync(join(root, 'dist/third-party-notices.txt'), thirdPartyNotices(inputs));
await writeLibraryEntry();
// `npm run check` has the types checked; here they are only written down.
await need(runStep('tsc', ['-p', 'tsconfig.build.json', '--noCheck']));

const bytes = outputs.reduce((sum, file) => sum + statSync(join(root, file)).size, 0);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
process.stdout.write(`agent-zoo ${version}: dist built, ${(bytes / 1024).toFixed(0)} KB of JavaScript for Node\n`);

async function need(step: Promise<number>): Promise<void> {
  const code = await step;
  if (code !== 0) process.exit(code);
}
