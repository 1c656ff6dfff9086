import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { HubError } from '../../base/hub-error.ts';
import type { GitAddress } from './git-url.ts';

export interface GitCall {
  /** The working folder. Git does not look for a repository above it. */
  cwd: string;
  gitDir?: string;
  /** More settings, as `name=value`. */
  config?: readonly string[];
  signal: AbortSignal;
  timeoutMs: number;
}

/** A failed git command. `stderr` is raw and may contain credentials. */
export class GitFailure extends Error {
  readonly stderr: string;

  constructor(stderr: string) {
    super('git failed');
    this.stderr = stderr;
  }
}

/**
 * Keeps a repository from running code here: no hooks, no file system monitors, no prompts. Keeps a server from sending git elsewhere:
 * no redirects (and with them no alternates), no bundles, no submodules.
 */
const settings = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'credential.interactive=never',
  '-c',
  'http.followRedirects=false',
  '-c',
  'transfer.bundleURI=false',
  '-c',
  'submodule.recurse=false',
  '-c',
  'http.lowSpeedLimit=1000',
  '-c',
  'http.lowSpeedTime=60',
  // Background housekeeping would outlive this process.
  '-c',
  'gc.autoDetach=false',
  '-c',
  'maintenance.autoDetach=false',
];

/** Returns the output of one command. Throws GitFailure, TIMEOUT, UNAVAILABLE if git is not installed, or the signal's reason. */
export async function runGit(args: readonly string[], call: GitCall): Promise<string> {
  const git = startGit(args, call);
  const [output] = await Promise.all([text(git.stdout), git.ended]);
  return output;
}

/** Yields the NUL-terminated records that a command prints. Stops the command when the consumer stops. Throws like `runGit`. */
export async function* recordsOfGit(args: readonly string[], call: GitCall): AsyncGenerator<string> {
  const git = startGit(args, call);
  // Awaited below. Until then, a failure must not count as unhandled.
  git.ended.catch(() => {});
  try {
    let rest = '';
    for await (const chunk of git.stdout.setEncoding('utf8')) {
      const parts = (rest + String(chunk)).split('\0');
      rest = parts.pop() ?? '';
      yield* parts;
    }
    await git.ended;
    if (rest !== '') yield rest;
  } finally {
    git.stop();
  }
}

interface RunningGit {
  stdout: Readable;
  /** Resolves when the command succeeds. */
  ended: Promise<void>;
  stop(): void;
}

function startGit(args: readonly string[], call: GitCall): RunningGit {
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(call.timeoutMs)]);
  const child = spawnGit(args, call, 'ignore');
  const stderr = text(child.stderr).catch(() => '');
  const stop = () => stopGroup(child);
  signal.addEventListener('abort', stop, { once: true });
  return { stdout: child.stdout, ended: ended(), stop };

  async function ended(): Promise<void> {
    try {
      if (signal.aborted) stop();
      const [code] = await once(child, 'close');
      call.signal.throwIfAborted();
      if (signal.aborted) {
        const command = args.find((arg) => !arg.startsWith('-'));
        throw new HubError('TIMEOUT', `git ${command} was stopped after ${call.timeoutMs / 1000} seconds.`);
      }
      if (code !== 0) throw new GitFailure(await stderr);
    } catch (error) {
      throw noGit(error) ?? error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}

type GitChild<Input extends Writable | null> = ChildProcessByStdio<Input, Readable, Readable>;

/** Starts git in its own process group, so that it cannot prompt on the terminal and its helpers end with it. */
export function spawnGit(
  args: readonly string[],
  call: Pick<GitCall, 'cwd' | 'gitDir' | 'config'>,
  stdin: 'ignore',
): GitChild<null>;
export function spawnGit(
  args: readonly string[],
  call: Pick<GitCall, 'cwd' | 'gitDir' | 'config'>,
  stdin: 'pipe',
): GitChild<Writable>;
export function spawnGit(
  args: readonly string[],
  { cwd, gitDir, config = [] }: Pick<GitCall, 'cwd' | 'gitDir' | 'config'>,
  stdin: 'ignore' | 'pipe',
) {
  const gitDirOption = gitDir === undefined ? [] : [`--git-dir=${gitDir}`];
  const own = config.flatMap((each) => ['-c', each]);
  return spawn('git', [...settings, ...own, ...gitDirOption, ...args], {
    cwd,
    env: environment(cwd),
    stdio: [stdin, 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
}

const graceMs = 2_000;

/** Sends SIGTERM first, so that git removes its lock files. */
export function stopGroup(child: {
  pid?: number | undefined;
  exitCode: number | null;
  signalCode: string | null;
}): void {
  send('SIGTERM');
  setTimeout(send, graceMs, 'SIGKILL').unref();

  function send(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
    } catch {
      // It ended at this moment.
    }
  }
}

/** The hub's own secrets. The user's credential helpers and ssh may need any other variable. */
const hubVariables = /^(?:AGENT_ZOO|ZOO)_|_API_KEY$|^DATABASE_URL$/;

/** Removes the hub's secrets, and variables that a surrounding git process, such as a hook, set for another repository. */
function environment(cwd: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !hubVariables.test(name) &&
      (!name.startsWith('GIT_') || /^GIT_(SSH|SSL|PROXY|HTTP|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)$)/.test(name)),
  );
  return {
    ...Object.fromEntries(inherited),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    // `file` is for repositories that are given as a path.
    GIT_ALLOW_PROTOCOL: 'file:http:https:ssh',
    GIT_CEILING_DIRECTORIES: dirname(cwd),
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
  };
}

function noGit(error: unknown): HubError | undefined {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return isMissing
    ? new HubError('UNAVAILABLE', 'The command "git" cannot be run. Install git, or put it on the PATH.', {
        cause: error,
        details: { retryable: false },
      })
    : undefined;
}

/** What users can do about common problems. */
const advice: [said: RegExp, advice: string][] = [
  [
    /could not read (Username|Password)|Authentication failed|terminal prompts disabled|Permission denied|\b40[13]\b/i,
    'Give this machine access: a credential helper, an ssh key, or a token in the url from a variable.',
  ],
  [/not found|does not exist|does not appear to be a git repository|\b404\b/i, 'Check the url and your access to it.'],
  [/returned error: 30\d/, 'Redirects are not followed here: set url to the new address.'],
  [/dubious ownership/i, 'Trust the folder: git config --global --add safe.directory PATH.'],
  [/Host key verification failed/i, 'Connect once with ssh by hand and accept the host key.'],
];

/** Turns a git failure into a message for users without credentials. Returns other errors unchanged. */
export function gitProblem(error: unknown, address: GitAddress): unknown {
  if (!(error instanceof GitFailure)) return error;
  const gitMessage = address.clean(errorLines(error.stderr));
  const hint = advice.find(([pattern]) => pattern.test(gitMessage))?.[1];
  return new HubError(
    'UNAVAILABLE',
    `The repository ${address.shown} cannot be read: ${gitMessage}${/[.!?]$/.test(gitMessage) ? '' : '.'}${hint ? ` ${hint}` : ''}`,
  );
}

function errorLines(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.trim());
  const errors = lines.filter(
    (line) => /^(fatal|error|remote|ssh):/i.test(line) || /Permission denied|Host key/.test(line),
  );
  const sentences = (errors.length > 0 ? errors : lines.filter((line) => line !== ''))
    .map((line) => line.replace(/^(fatal|error|remote):\s*/i, ''))
    .filter((line) => line !== '' && line !== 'Could not read from remote repository.');
  return sentences.slice(0, 3).join('; ').slice(0, 400) || 'git gave no reason';
}
