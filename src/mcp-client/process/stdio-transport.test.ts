import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, expect, it, vi } from 'vitest';
import { connectTo } from '../../../test/support/servers/start-bad-server.ts';
import { ServerDefinition } from '../../servers/server-definition.ts';
import { treeVariable } from './process-tree.ts';

const hello = `
const reader = require('node:readline').createInterface({ input: process.stdin });
reader.on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') reply(id, { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 's', version: '1' } });
  if (method === 'tools/call') reply(id, { content: [], structuredContent: { pids: globalThis.pids ?? [process.pid] } });
});
function reply(id, result) { process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n'); }
`;

/** Starts two processes: one in its group, one outside. Both ignore all signals except SIGKILL and keep its output open. */
const family = `
const { spawn } = require('node:child_process');
const stay = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
globalThis.pids = [process.pid, ...[false, true].map((detached) => spawn(process.execPath, ['-e', stay], { stdio: 'inherit', detached }).pid)];
process.on('SIGTERM', () => {});
setInterval(() => {}, 1000);
${hello}`;

function server(code: string, rest: object = {}): ServerDefinition {
  return ServerDefinition.parse({ transport: 'stdio', command: process.execPath, args: ['-e', code], ...rest });
}

/** A zombie does not count as alive. */
function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

async function pidsOf(connection: { callTool(name: string, input: object): Promise<{ structuredContent?: unknown }> }) {
  const { structuredContent } = await connection.callTool('pids', {});
  return (structuredContent as { pids: number[] }).pids;
}

describe('the processes of a server', () => {
  it('end with the connection, even if they ignore signals or left its group', async () => {
    const { connection } = await connectTo(server(family));
    const pids = await pidsOf(connection);
    expect(pids.map(isAlive)).toEqual([true, true, true]);

    await connection.close();

    expect(pids.map(isAlive)).toEqual([false, false, false]);
  });

  it('end even if they left the group and cleared their environment', async () => {
    const stranger = `
      const { spawn } = require('node:child_process');
      const stay = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
      globalThis.pids = [process.pid, spawn(process.execPath, ['-e', stay], { stdio: 'ignore', detached: true, env: {} }).pid];
      ${hello}`;
    const { connection } = await connectTo(server(stranger));
    const pids = await pidsOf(connection);
    expect(pids.map(isAlive)).toEqual([true, true]);

    await connection.close();

    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  it('that would outlive their server end with it', async () => {
    const { connection, closed } = await connectTo(server(family));
    const [leader = 0, ...others] = await pidsOf(connection);

    process.kill(leader, 'SIGKILL');

    expect(await closed).toMatch(/killed by SIGKILL/);
    await expect.poll(() => others.map(isAlive)).toEqual([false, false]);
  });

  it.each<[how: string, end: (child: ChildProcess) => unknown]>([
    ['leaves by itself', (child) => child.stdin?.write('exit\n')],
    ['breaks', (child) => child.stdin?.write('throw\n')],
    ['gets SIGTERM', (child) => child.kill('SIGTERM')],
    ['gets SIGINT', (child) => child.kill('SIGINT')],
  ])('end when our own process %s', async (_how, end) => {
    const ours = startOurs(family);
    const pids = await ours.pids;
    end(ours.child);
    await ours.ended;
    await expect.poll(() => pids.map(isAlive)).toEqual([false, false, false]);
  });

  it('get the end of their input when our own process is killed', async () => {
    const ours = startOurs(hello);
    const pids = await ours.pids;
    ours.child.kill('SIGKILL');
    await ours.ended;
    await expect.poll(() => pids.map(isAlive)).toEqual([false]);
  });

  it('that survive a killed hub are ended by the next hub', async () => {
    const ours = startOurs(family);
    const pids = await ours.pids;
    ours.child.kill('SIGKILL');
    await ours.ended;
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    const next = startOurs(hello);
    await next.pids;
    await expect.poll(() => pids.map(isAlive)).toEqual([false, false, false]);
    next.child.kill('SIGTERM');
    await next.ended;
  });

  it('do not change how our own process dies', async () => {
    const ours = startOurs(hello);
    await ours.pids;
    ours.child.kill('SIGTERM');
    expect(await ours.ended).toBe('SIGTERM');
  });
});

/** Runs a process that connects to a server, prints its process ids, and then runs the given code. */
function startOurs(code: string) {
  const program = `
    import { connectTo } from ${JSON.stringify(new URL('../../../test/support/servers/start-bad-server.ts', import.meta.url).href)};
    const { connection } = await connectTo(${JSON.stringify(server(code))});
    const { structuredContent } = await connection.callTool('pids', {});
    process.stdin.on('data', (text) => { if (String(text) === 'exit\\n') process.exit(0); throw new Error('broken'); });
    console.log(JSON.stringify(structuredContent.pids));`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const pids = new Promise<number[]>((resolve) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
  });
  const ended = new Promise<string | null>((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
  return { child, pids, ended };
}

describe('a server that cannot be started', () => {
  it.each([
    ['an unknown command', { command: 'no-such-command-here' }, /the command "no-such-command-here" was not found/],
    ['a file that is no program', { command: import.meta.filename }, /is not executable/],
    [
      'a folder that does not exist',
      { cwd: '/no/such/folder' },
      /its working directory \(cwd\) "\/no\/such\/folder" does not exist/,
    ],
    [
      'a program that ends',
      { args: ['-e', 'console.error("no licence"); process.exit(4)'] },
      /exited with code 4\. It wrote: no licence/,
    ],
    [
      'a missing module',
      { args: ['-e', "require('/nowhere/server.js')"] },
      /exited with code 1\. It wrote: Error: Cannot find module '\/nowhere\/server\.js'$/,
    ],
    [
      'a program that closes its output',
      { args: ['-e', 'require("fs").closeSync(1); setInterval(() => {}, 1000)'] },
      /closed its output/,
    ],
  ])('because of %s is explained', async (_why, rest, message) => {
    const error = await connectTo(server(hello, rest)).catch((reason) => reason);
    expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(message) });
    expect(error.message).toContain('Server "bad"');
  });
});

describe('the environment of a server', () => {
  const variables = `globalThis.pids = Object.keys(process.env).sort();${hello}`;
  /** Set by us: to find its processes again. */
  const own = treeVariable;

  it('has the variables of its definition and a few harmless ones of ours, and no others', async () => {
    const secrets = ['OPENAI_API_KEY', 'AGENT_ZOO_SECRET', 'DATABASE_URL', 'GITHUB_TOKEN', 'HARMLESS'];
    for (const name of secrets) vi.stubEnv(name, 'of-the-hub');
    vi.stubEnv('TZ', 'UTC');
    const { connection } = await connectTo(server(variables, { env: { API_KEY: 'its-own' } }));
    const names = (await pidsOf(connection)) as unknown as string[];
    await connection.close();
    vi.unstubAllEnvs();
    expect(names).toEqual(expect.arrayContaining(['API_KEY', 'PATH', 'TZ']));
    const expected = ['API_KEY', 'HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'];
    expect(names.filter((name) => ![...expected, 'XDG_CACHE_HOME', own].includes(name))).toEqual([]);
  });
});

describe('what a server writes to stderr', () => {
  it('is in its log, shortened, limited and without secrets', async () => {
    const noise = `for (let line = 0; line < 5000; line += 1) console.error('line ' + line);`;
    const long = `console.error('x'.repeat(100000));`;
    const secret = `console.error('key is ' + process.env.API_KEY);`;
    await using bad = await connectTo(server(secret + long + noise + hello, { env: { API_KEY: 'sk-very-secret' } }));
    await bad.connection.callTool('pids', {});

    await expect.poll(() => bad.log.length).toBeGreaterThan(50);
    expect(bad.log.length).toBeLessThan(2_500);
    expect(bad.log[0]).toEqual({ level: 'stderr', text: 'key is ••••••••' });
    expect(bad.log[1]?.text).toHaveLength(2_001);
    expect(JSON.stringify(bad.log)).not.toContain('sk-very-secret');
  });
});

describe('a server that floods us', () => {
  /** Starts when it is connected, and never stops. */
  const without = (end: string) => `${hello}
    process.stdout.on('error', () => process.exit());
    reader.on('line', (line) => { if (line.includes('notifications/initialized')) go(); });
    function go() { while (process.stdout.write(block)); process.stdout.once('drain', go); }
    const block = ${end};`;

  it.each([
    ['answers to what was never asked', `'{"jsonrpc":"2.0","id":99999999,"result":{}}\\n'.repeat(1000)`],
    ['many messages in each line', `'[' + Array(5000).fill('{"jsonrpc":"2.0","method":"x"}').join() + ']\\n'`],
    ['few messages of many bytes', `'{"jsonrpc":"2.0","method":"' + 'x'.repeat(8_000_000) + '"}\\n'`],
  ])('with %s is disconnected', async (_what, block) => {
    const { closed } = await connectTo(server(without(block)));
    expect(await closed).toMatch(/unrequested messages/);
  });

  it('and does not read its input is disconnected before that fills our memory', async () => {
    const code = `${hello}
      reader.on('line', (line) => { if (line.includes('initialized')) { reader.pause(); process.stdin.pause(); } });
      setInterval(() => {}, 1000);`;
    const { connection, closed } = await connectTo(server(code));
    const text = 'x'.repeat(20_000_000);
    const calls: Promise<string>[] = [];
    for (let call = 0; call < 8; call += 1) {
      calls.push(connection.callTool('pids', { call, text }).then(String, ({ code }) => code));
      // The next one is sent when the pipe is full.
      await new Promise(setImmediate);
    }
    expect(await Promise.all(calls)).toEqual(Array(8).fill('UNAVAILABLE'));
    expect(await closed).toMatch(/does not read/);
  });

  it('with questions whose id has megabytes gets no reply', async () => {
    const code = `${hello}
      reader.on('line', (line) => {
        const { id, method } = JSON.parse(line);
        if (method === 'tools/call') return;
        if (method === undefined) globalThis.pids = [...(globalThis.pids ?? []), String(id).length];
        if (line.includes('initialized')) for (const id of ['x'.repeat(1_000_000), 'short']) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' }) + '\\n');
      });`;
    const { connection } = await connectTo(server(code));
    await expect.poll(() => pidsOf(connection)).toEqual([5]);
    await connection.close();
  });
});
