import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../../scripts/run-step.ts';
import { fillHome } from '../databases/test-database.ts';
import { builtZoo } from './built-zoo.ts';

/** The command as published, built from the current sources. */
export const zooScript = join(await builtZoo(), 'bin', 'zoo.js');

/** The command of the checkout, which runs the sources. */
export const checkoutScript = join(root, 'bin', 'zoo.js');

export interface ZooFolder extends AsyncDisposable {
  /** The working folder, home and data folder of all commands. */
  dir: string;
}

export interface ZooOptions {
  cwd: string;
  env?: Record<string, string>;
  /** Runs the command with another Node than the tests, with its own options. */
  node?: readonly string[];
  /** Runs another `zoo` than the one built from these sources. */
  script?: string;
  input?: string;
  /** An open file for stdin, instead of a pipe that closes when the command ends. */
  stdin?: number;
  /** Runs the command in a folder that the user has not trusted. By default, its config counts as named. */
  isUntrusted?: boolean;
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

/** Runs a command and waits for its end. */
export function runZoo(args: readonly string[], options: ZooOptions): Promise<ZooResult> {
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
    env: {
      PATH: process.env.PATH ?? '',
      HOME: options.cwd,
      AGENT_ZOO_HOME: join(options.cwd, 'home'),
      ...(options.isUntrusted ? {} : namedConfig(options.cwd)),
      ...options.env,
    },
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
