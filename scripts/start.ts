import { spawn } from 'node:child_process';
import { isWebUpToDate } from './build-web.ts';
import { root } from './run-step.ts';

/**
 * `npm start`: builds the web app if it is outdated, then becomes the hub. A shell that runs two commands would not pass on npm's
 * signals, and the hub would outlive npm.
 */
if (!(await isWebUpToDate())) await buildInAnotherProcess();
process.argv.splice(2, 0, 'serve');
await import(new URL('../bin/zoo.js', import.meta.url).href);

/** Keeps the bundler's memory out of the hub's process. */
async function buildInAnotherProcess(): Promise<void> {
  const build = spawn(process.execPath, ['scripts/build-web.ts'], { cwd: root, stdio: 'inherit' });
  const end = (signal: NodeJS.Signals) => void build.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
  const code = await new Promise<number>((done, fail) => {
    build.once('error', fail);
    build.once('exit', (exitCode) => done(exitCode ?? 1));
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, end);
  if (code !== 0) process.exit(code);
}
