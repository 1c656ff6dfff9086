import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { root } from '../../../scripts/run-step.ts';
import type { main } from '../../../src/cli/main.ts';
import type { CliContext } from '../../../src/cli/terminal/context.ts';
import { fillHome } from '../databases/test-database.ts';
import { builtZoo } from './built-zoo.ts';

const built = await builtZoo();

/** The command as published, built from the current sources. */
export const zooScript = join(built, 'bin', 'zoo.js');

/** The command of the checkout, which runs the sources. */
export const checkoutScript = join(root, 'bin', 'zoo.js');

export interface ZooFolder extends AsyncDisposable {
  /** The working folder, home and data folder of all commands. */
  dir: string;
}

/** What a command gets. */
interface ZooInput {
  cwd: string;
  env?: Record<string, string>;
  input?: string;
  /** Runs the command in a folder that the user has not trusted. By default, its config counts as named. */
  isUntrusted?: boolean;
}

export interface ZooOptions extends ZooInput {
  /** Runs the command with another Node than the tests, with its own options. */
  node?: readonly string[];
  /** Runs another `zoo` than the one built from these sources. */
  script?: string;
  /** An open file for stdin, instead of a pipe that closes when the command ends. */
  stdin?: number;
  /** Leaving the scope also ends the processes that the command has started. */
  withDescendants?: boolean;
}

export interface ZooResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Creates a folder outside the home of the user who runs the tests. Its data folder holds a database with all tables, so that
 * no command has to create them. With `isNew`, it is empty.
 */
export async function zooFolder({ isNew = false } = {}): Promise<ZooFolder> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'zoo-cli-')));
  if (!isNew) await fillHome(join(dir, 'home'));
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}

/**
 * Runs a command of the published package to its end, in this process: starting one costs more than most commands do. Tests
 * of what only a process has (signals, its own Node, its end) use `runZooProcess`.
 */
export async function runZoo(args: readonly string[], options: ZooInput): Promise<ZooResult> {
  const { main } = await loadedZoo();
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(options.input ?? '');
  const said = Promise.all([text(stdout), text(stderr)]);
  const env = environment(options);
  const code = await main(['node', 'zoo', ...args], {
    env,
    cwd: options.cwd,
    home: env.HOME ?? options.cwd,
    // Commands use only the common stream API and `isTTY`, which pipes lack.
    stdin: stdin as unknown as CliContext['stdin'],
    stdout: stdout as unknown as CliContext['stdout'],
    stderr: stderr as unknown as CliContext['stderr'],
    exitCode: 0,
  });
  stdout.end();
  stderr.end();
  const [out, err] = await said;
  return { code, stdout: out, stderr: err };
}

let loaded: Promise<{ main: typeof main }> | undefined;

function loadedZoo(): Promise<{ main: typeof main }> {
  loaded ??= import(pathToFileURL(join(built, 'dist', 'cli', 'main.js')).href);
  return loaded;
}

/** Runs a command as a process and waits for its end. */
export function runZooProcess(args: readonly string[], options: ZooOptions): Promise<ZooResult> {
  return runCommand([...(options.node ?? [process.execPath]), options.script ?? zooScript, ...args], options);
}

/** Does the same for any command line. */
export function runCommand(command: readonly string[], options: ZooOptions): Promise<ZooResult> {
  const running = startCommand(command, options);
  running.process.stdin?.end(options.input ?? '');
  return running.ended;
}

export interface RunningZoo extends AsyncDisposable {
  process: ChildProcess;
  ended: Promise<ZooResult>;
  /** Waits until stdout and stderr match, and returns the match. Fails if the command ends before that. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Starts a command that keeps running. Leaving the scope ends it. */
export function startZoo(args: readonly string[], options: ZooOptions): RunningZoo {
  return startCommand([...(options.node ?? [process.execPath]), options.script ?? zooScript, ...args], options);
}

export function startCommand([command = '', ...args]: readonly string[], options: ZooOptions): RunningZoo {
  const child = spawn(command, args, {
    cwd: options.cwd,
    stdio: [options.stdin ?? 'pipe', 'pipe', 'pipe'],
    detached: options.withDescendants ?? false,
    env: environment(options),
  });
  const said = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<ZooResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...said }));
  });
  return {
    process: child,
    ended,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(said.stdout + said.stderr);
          if (!match) return;
          listeners.delete(look);
          resolve(match);
        };
        listeners.add(look);
        look();
        ended.then(
          (result) => reject(new Error(`zoo ended without saying ${pattern}: ${JSON.stringify(result)}`)),
          reject,
        );
      }),
    async [Symbol.asyncDispose]() {
      if (options.withDescendants && child.pid) endGroup(child.pid);
      else if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended.catch(() => {});
    },
  };
}

function environment({ cwd, env, isUntrusted }: ZooInput): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: cwd,
    AGENT_ZOO_HOME: join(cwd, 'home'),
    ...(isUntrusted ? {} : namedConfig(cwd)),
    ...env,
  };
}

/** Names the config that the command would find, because a named config needs no trust. */
export function namedConfig(cwd: string): Record<string, string> {
  const places = ['zoo.toml', 'ctx.toml', '.ctx/config.toml', 'config/ctx.toml'].map((name) => join(cwd, name));
  const file = places.find((place) => existsSync(place));
  return file === undefined ? {} : { ZOO_CONFIG: file };
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}
