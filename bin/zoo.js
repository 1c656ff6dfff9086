#!/usr/bin/env node
// Plain JavaScript for any Node version: finds a Node that can run the hub, and starts it there.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { isEnough, needsNewer } from './node-version.js';

/** Tells the hub that its IPC channel is a lifeline. Other programs may open and close a channel without meaning that. */
const launched = 'AGENT_ZOO_LAUNCHED';
const graceMs = 10_000;

if (isEnough(process.versions.node)) {
  if (process.env[launched]) endWithLauncher();
  hideSqliteWarning();
  module.enableCompileCache?.();
  const source = new URL('../src/cli/main.ts', import.meta.url);
  const built = new URL('../dist/cli/main.js', import.meta.url);
  const { main } = await import((existsSync(source) ? source : built).href);
  process.exitCode = await main(process.argv);
} else {
  const pinned = findPinnedNode();
  if (pinned) await handOver(pinned);
  else fail(`this is Node ${process.versions.node}`);
}

/** Finds the npm package `node` beside this package, never in the working folder: that may be a repository somebody else wrote. */
function findPinnedNode() {
  try {
    const require = module.createRequire(import.meta.url);
    if (!isEnough(require('node/package.json').version)) return undefined;
    const path = require.resolve(process.platform === 'win32' ? 'node/bin/node.exe' : 'node/bin/node');
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

async function handOver(node) {
  const { spawn } = await import('node:child_process');
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  // The system closes the channel however this process ends, even by kill -9.
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'];
  const child = spawn(node, args, { stdio, env: { ...process.env, [launched]: '1' } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(error.message));
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Stops as after SIGTERM when the launcher has ended, and exits after a while in any case. */
function endWithLauncher() {
  // Programs that the hub starts must not inherit this.
  delete process.env[launched];
  process.once('disconnect', () => {
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), graceMs).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  // A listener would keep a finished command alive.
  process.channel?.unref();
}

/** Hides the warning of early Node 24 releases that node:sqlite is experimental. All other warnings are shown. */
function hideSqliteWarning() {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...rest) => {
    const type = typeof rest[0] === 'object' ? rest[0]?.type : rest[0];
    if (type === 'ExperimentalWarning' && String(warning).includes('SQLite')) return;
    emitWarning.call(process, warning, ...rest);
  };
}

function fail(why) {
  process.stderr.write(
    `zoo: ${needsNewer(why)}: install it, or run "npx -p node@24 -p agent-zoo zoo ${process.argv.slice(2).join(' ')}".\n`,
  );
  process.exit(1);
}
