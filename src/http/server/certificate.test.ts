import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificate, writeCertificate } from '../../../test/support/servers/make-certificate.ts';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { readCertificate } from '../../base/read-certificate.ts';
import { certificateProblems, firstName, isNamed, LiveCertificate } from './certificate.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-cert-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a certificate', () => {
  it('is for its names and addresses', async () => {
    const names = ['*.zoo.example', 'zoo.example', '192.0.2.7'];
    const { x509 } = await readCertificate(await writeCertificate(folder, makeCertificate(names)));
    expect(firstName(x509)).toBe('zoo.example');
    const asked = ['zoo.example', 'a.zoo.example', 'a.b.zoo.example', 'other.example', '192.0.2.7', '192.0.2.8', '::1'];
    expect(asked.filter((name) => isNamed(x509, name))).toEqual(['zoo.example', 'a.zoo.example', '192.0.2.7']);
  });

  it.each([
    ['a file that is not there', async () => ({ cert: join(folder, 'none.pem') }), /cert: .*none\.pem.*ENOENT/],
    ['a file without a certificate', async () => ({ cert: await written('junk') }), /no valid certificate/],
    ['a file without a key', async () => ({ key: await written('junk') }), /no valid private key/],
    ['the key of another', async () => ({ key: await written(makeCertificate(['b']).key) }), /does not belong/],
  ])('with %s is refused', async (_, change, message) => {
    const files = { ...(await writeCertificate(folder, makeCertificate(['a']))), ...(await change()) };
    await expect(readCertificate(files)).rejects.toThrow(message);
    expect(await certificateProblems(files, Date.now())).toEqual([
      { place: files.cert, message: expect.stringMatching(message) },
    ]);
  });

  it.each([
    [365, []],
    [7, [/ expires \(/]],
    [-1, [/ has expired \(/]],
  ])('that is valid for %i more days has the problems %j', async (days, expected) => {
    const files = await writeCertificate(folder, makeCertificate(['a'], { days }));
    const problems = await certificateProblems(files, Date.now());
    expect(problems.map(({ message }) => message)).toEqual(expected.map((each) => expect.stringMatching(each)));
  });

  it('is replaced when its files change, also through links, and stays if the new pair is broken', async () => {
    const used: unknown[] = [];
    const server = { setSecureContext: ({ cert }: { cert?: unknown }) => void used.push(cert) };
    const [first, second, third] = ['a', 'b', 'c'].map((name) => makeCertificate([name]));
    if (!first || !second || !third) throw new Error('three certificates');
    const files = { cert: join(folder, 'live-cert'), key: join(folder, 'live-key') };
    const link = async (name: string, made: typeof first) => {
      await writeFile(join(folder, `${name}.pem`), made.cert);
      await writeFile(join(folder, `${name}.key`), made.key);
      for (const path of Object.values(files)) await rm(path, { force: true });
      await symlink(`${name}.pem`, files.cert);
      await symlink(`${name}.key`, files.key);
    };
    await link('first', first);
    const live = await LiveCertificate.open(files, { logger: silentLogger, clock: systemClock });
    let reports = 0;
    const onProblem = () => {
      reports += 1;
    };
    live.follow(server, { onProblem, everyMs: 5 });
    await link('second', second);
    await expect.poll(() => used).toEqual([second.cert]);
    await writeFile(join(folder, 'second.key'), third.key);
    await expect.poll(() => live.problems()[0]?.message).toMatch(/does not belong.*keeps using/);
    expect([live.current.cert, reports]).toEqual([second.cert, 1]);
    await link('third', third);
    await expect.poll(() => used).toEqual([second.cert, third.cert]);
    await expect.poll(() => [live.problems(), reports]).toEqual([[], 2]);
    live.close();
  });
});

async function written(text: string): Promise<string> {
  const file = join(folder, 'other.pem');
  await writeFile(file, text);
  return file;
}
