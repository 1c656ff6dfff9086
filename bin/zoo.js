#!/usr/bin/env node
// Plain JavaScript that any Node understands: finds a Node that can run the hub, then hands over.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const needed = [24, 11];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > needed[0] || (major === needed[0] && minor >= needed[1])) {
  const source = new URL('../src/cli/main.ts', import.meta.url);
  const isCheckout = existsSync(source);
  if (!isCheckout) module.enableCompileCache?.();
  const { main } = await import(isCheckout ? source.href : new URL('../dist/cli/main.js', import.meta.url).href);
  await main(process.argv);
} else {
  const pinned = findPinnedNode();
  if (pinned) {
    const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    child.on('error', (error) => fail(error.message));
    child.on('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)));
  } else {
    fail(`this is Node ${process.versions.node}`);
  }
}

function findPinnedNode() {
  try {
    const path = module.createRequire(import.meta.url).resolve('node/bin/node');
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

function fail(why) {
  process.stderr.write(
    `zoo: Agent Zoo needs Node ${needed.join('.')} or later (${why}): install it, or run "npx -p node@24 -p agent-zoo zoo ${process.argv.slice(2).join(' ')}".\n`,
  );
  process.exit(1);
}
