import { afterEach, beforeEach, expect, it } from 'vitest';
import { type S3Server, startS3Server } from '../../../test/support/servers/s3-server.ts';
import type { ScannedItem } from '../../knowledge/connector.ts';
import { baseOf, type S3Settings, s3Connector } from './s3.ts';

const keys = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret/key+1' };
const env: Record<string, string | undefined> = {
  AWS_ACCESS_KEY_ID: keys.accessKeyId,
  AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
};

let server: S3Server;
beforeEach(async () => {
  server = await startS3Server({ bucket: 'docs', keys, pageSize: 2, objects: {} });
});
afterEach(() => server[Symbol.asyncDispose]());

async function scan(settings: Partial<S3Settings> = {}, variables = env) {
  const items: ScannedItem[] = [];
  const skipped: [string, string][] = [];
  const failed: [string, string][] = [];
  const connector = s3Connector(
    {
      name: 'x',
      bucket: 'docs',
      prefix: '',
      region: 'us-east-1',
      endpoint_url: server.url,
      max_extract_bytes: 100,
      tags: [],
      ...settings,
    },
    { lookUp: (name) => variables[name] },
  );
  const signal = new AbortController().signal;
  const context = {
    signal,
    fail: (id: string, message: string) => failed.push([id, message]),
    failFolder: () => {},
    skip: (path: string, reason: string) => skipped.push([path, reason]),
  };
  for await (const item of connector.scan(context)) items.push(item);
  const texts = await Promise.all(items.map(async (item) => String(await item.read(signal))));
  return { items, texts, skipped, failed, location: connector.location };
}

it('every object has its key, its text and a version that changes with the content', async () => {
  const names = ['a b/c+d & e.md', 'Zoë/日本.md', "it's (1)*!~.md", 'plain.md', 'x=y?z#q.md'];
  for (const name of names) server.objects.set(name, `text of ${name}`);
  const before = await scan({ include_globs: ['**/*.md'] });
  expect(before.items.map((item) => item.sourceId).sort()).toEqual(names.toSorted());
  expect(before.texts.toSorted()).toEqual(names.map((name) => `text of ${name}`).toSorted());
  expect(before.items.find(({ sourceId }) => sourceId === 'plain.md')).toMatchObject({
    url: 's3://docs/plain.md',
    updatedAt: Date.parse('2026-01-02T03:04:05Z'),
    metadata: { bucket: 'docs', size: 16 },
  });
  server.objects.set('plain.md', 'other');
  const versions = async () => new Map((await scan()).items.map((item) => [item.sourceId, item.version]));
  const after = await versions();
  const changed = before.items.filter((item) => after.get(item.sourceId) !== item.version);
  expect(changed.map((item) => item.sourceId)).toEqual(['plain.md']);
});

it('globs match what follows the prefix, and folders are judged as on a disk', async () => {
  for (const key of [
    'team/README.md',
    'team/sub/README.md',
    'team/node_modules/x.md',
    'team/',
    'other/README.md',
    'team/.env',
  ])
    server.objects.set(key, 'text');
  const { items, skipped } = await scan({ prefix: 'team/', include_globs: ['README.md'], isCtxGlobs: true });
  expect(items.map((item) => item.sourceId)).toEqual(['team/README.md']);
  expect(skipped.toSorted()).toEqual([
    ['team/.env', 'secret'],
    ['team/node_modules', 'generated'],
    ['team/sub/README.md', 'not_included'],
  ]);
});

it('a document that is too large and a key that no address can contain are reported', async () => {
  server.objects.set('big.pdf', 'x'.repeat(101));
  server.objects.set('big.md', 'x'.repeat(101));
  server.objects.set('a/../b.md', 'x');
  const { items, failed } = await scan({ include_globs: ['**/*'] });
  expect(items.map((item) => item.sourceId)).toEqual(['big.md']);
  expect(failed).toEqual([
    ['a/../b.md', expect.stringContaining('Rename it')],
    ['big.pdf', 'It has 101 bytes, but max_extract_bytes allows 100.'],
  ]);
});

it.each<[string, Partial<S3Settings>, Record<string, string | undefined>, RegExp]>([
  ['no keys', {}, {}, /^AWS_ACCESS_KEY_ID is not set, so s3:\/\/docs\/ at 127\.0\.0\.1:\d+ cannot be read/],
  [
    'a wrong key',
    {},
    { ...env, AWS_SECRET_ACCESS_KEY: 'wrong' },
    /replied 403 \(SignatureDoesNotMatch: The signature does not match\)\.$/,
  ],
  ['a wrong bucket', { bucket: 'nothing' }, env, /replied 404 \(NoSuchBucket/],
])('%s fail the scan with a reason', async (_name, settings, variables, message) => {
  await expect(scan(settings, variables)).rejects.toThrow(message);
});

it.each([
  ['acme-docs', 'us-east-1', undefined, 'https://acme-docs.s3.us-east-1.amazonaws.com/'],
  ['acme-docs', 'cn-north-1', undefined, 'https://acme-docs.s3.cn-north-1.amazonaws.com.cn/'],
  ['docs.acme.com', 'eu-west-1', undefined, 'https://s3.eu-west-1.amazonaws.com/docs.acme.com'],
  ['docs', 'us-east-1', 'http://localhost:9000', 'http://localhost:9000/docs'],
  ['docs', 'us-east-1', 'https://store.example/s3/', 'https://store.example/s3/docs'],
  ['docs', 'us-east-1', 'https://docs.store.example', 'https://docs.store.example/'],
])('the bucket %s in %s at %s is %s', (bucket, region, endpoint_url, address) => {
  expect(baseOf({ bucket, region, endpoint_url }).href).toBe(address);
});
