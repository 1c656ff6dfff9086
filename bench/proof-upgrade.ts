import { execFileSync } from 'node:child_process';
import { mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { root } from '../scripts/run-step.ts';
import { checkoutScript, runZooProcess, startZoo, zooFolder } from '../test/support/command/run-zoo.ts';
import { createDatabase, startPostgres } from '../test/support/databases/postgres.ts';
import { ownerHeader } from '../test/support/hubs/owner-key.ts';
import { UpgradeLoad } from './proofs/upgrade-load.ts';

/** The last commit of the release whose newest migration is 0024. */
const releasedCommit = 'ead1bd8b';
const serve = ['serve', '--bind', '127.0.0.1:0'];
const tasks = 300;

/**
 * A hub of the last release works under load, a hub of this version starts on the same database, both work, the old one stops, and
 * another old one starts: a way back. Nothing acknowledged may be lost, no call may fail, and both are ready all the time.
 */
export async function proveUpgrade(): Promise<boolean> {
  const release = await checkOutRelease();
  const server = await startPostgres();
  try {
    const url = await createDatabase(server.url);
    return await upgrade(release, url);
  } finally {
    await server.stop();
    await rm(release, { recursive: true, force: true });
  }
}

async function upgrade(release: string, url: string): Promise<boolean> {
  await using folder = await zooFolder({ isNew: true });
  const place = { cwd: folder.dir, env: { DATABASE_URL: url } };
  const oldScript = join(release, 'bin', 'zoo.js');
  await using oldHub = startZoo(serve, { ...place, script: oldScript });
  const [, oldUrl = ''] = await oldHub.says(/Web app +(\S+)\n/);
  const owner = { ...(await ownerHeader({ home: join(folder.dir, 'home') })) };
  const load = new UpgradeLoad(owner);
  await load.prepare(oldUrl, tasks);
  const oldWork = await load.start('old', oldUrl);
  await load.acknowledgedMore('old', 200);

  const startedAt = performance.now();
  await using newHub = startZoo(serve, { ...place, script: checkoutScript });
  const [, newUrl = ''] = await newHub.says(/Web app +(\S+)\n/);
  const startMs = performance.now() - startedAt;
  const newWork = await load.start('new', newUrl);
  await load.acknowledgedMore('new', 600);
  await load.acknowledgedMore('old', 200);
  const toNewMs = await load.travels(oldUrl, newUrl);
  const toOldMs = await load.travels(newUrl, oldUrl);
  const command = await runZooProcess(['agent', 'list'], { ...place, script: oldScript });
  const versions = await runZooProcess(['migrate'], { ...place, script: checkoutScript });

  await oldWork.stop();
  oldHub.process.kill('SIGTERM');
  const oldEnd = await oldHub.ended;
  await load.acknowledgedMore('new', 200);
  await using rolledBack = startZoo(serve, { ...place, script: oldScript });
  const [, backUrl = ''] = await rolledBack.says(/Web app +(\S+)\n/);
  const backWork = await load.start('old again', backUrl);
  await load.acknowledgedMore('old again', 200);
  await Promise.all([newWork.stop(), backWork.stop()]);
  const log = await runZooProcess(['log', 'verify'], { ...place, script: checkoutScript });

  const { lost, claimedTwice } = await compare(url, load);
  const counts = [...load.counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
  process.stdout.write(
    [
      `${load.acknowledged.size} writes and ${load.reads} reads acknowledged by both versions (${counts}): ${lost} lost, ${claimedTwice} tasks claimed twice, ${load.errors.length} errors`,
      `${load.readyChecks} checks of /ready, ${load.notReady.length} not ready`,
      `a change reached the new hub after ${toNewMs.toFixed(0)} ms and the old one after ${toOldMs.toFixed(0)} ms`,
      `the new hub was ready ${(startMs / 1000).toFixed(1)} s after its start; old "zoo agent list": exit code ${command.code}; old hub: exit code ${oldEnd.code}`,
      versions.stdout.trim(),
      log.stdout.trim().split('\n')[0],
      ...[...load.errors, ...load.notReady].slice(0, 20).map((problem) => `  ${problem}`),
      '',
    ].join('\n'),
  );
  const isVerified = log.code === 0 && /No changes found/.test(log.stdout);
  const areFine = [lost, claimedTwice, load.errors.length, load.notReady.length, command.code, oldEnd.code];
  return isVerified && areFine.every((value) => value === 0);
}

/** Returns a folder with the sources of the release, which run with the packages of this checkout. */
async function checkOutRelease(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'zoo-release-')));
  const archive = execFileSync('git', ['archive', releasedCommit], { cwd: root, maxBuffer: 512 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

async function compare(url: string, load: UpgradeLoad): Promise<{ lost: number; claimedTwice: number }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const stored = new Set<string>();
  for (const table of ['agents', 'mails', 'brain_entries'])
    for (const { id } of (await client.query(`select id from ${table}`)).rows) stored.add(String(id));
  for (const { id } of (await client.query(`select id from tasks where state <> 'PENDING'`)).rows)
    stored.add(String(id));
  await client.end();
  const lost = [...load.acknowledged].filter((id) => !stored.has(id)).length;
  return { lost, claimedTwice: load.claims.length - new Set(load.claims).size };
}
