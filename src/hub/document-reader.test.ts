import { afterEach, expect, it } from 'vitest';
import { silentLogger } from '../base/logger.ts';
import { createDocumentReader, type DocumentReader } from './document-reader.ts';

const badWorker = new URL('../../test/support/knowledge/bad-index-worker.ts', import.meta.url);
let reader: DocumentReader | undefined;
afterEach(() => reader?.close());

const bytes = (text: string) => new TextEncoder().encode(text);
const caller = 'owner';

it('reads documents as text, whatever their buffer is used for afterwards', async () => {
  reader = createDocumentReader(silentLogger);
  const content = bytes('# Plan\n\nBuy hay.\n');
  const read = { text: '# Plan\n\nBuy hay.\n', mimeType: 'text/markdown' };
  expect(await Promise.all(['a.md', 'b.md'].map((name) => reader?.read({ name, content, caller })))).toEqual([
    read,
    read,
  ]);
  expect(new TextDecoder().decode(content)).toBe(read.text);
});

it.each([
  [
    'HANG',
    'INVALID_ARGUMENTS',
    '"x.txt" cannot be attached. Reading it took longer than 2 seconds. Attach a part of it',
  ],
  ['EXIT', 'INVALID_ARGUMENTS', '"x.txt" cannot be attached. The indexing thread ended.'],
  ['THROW', 'INVALID_FORMAT', '"x.txt" cannot be read. The file may be damaged.'],
])('a document that makes the parser %s is refused, and the next one is read', async (what, code, message) => {
  reader = createDocumentReader(silentLogger, { file: badWorker, limitMs: 2_000 });
  const bad = reader.read({ name: 'x.txt', content: bytes(what), caller });
  const next = reader.read({ name: 'y.txt', content: bytes('words'), caller });
  await expect(bad).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  expect((await next).text).toBe('words');
});

it('callers take turns, so that one with many slow documents delays another by one of them', async () => {
  reader = createDocumentReader(silentLogger, { file: badWorker });
  const done: string[] = [];
  const read = async (by: string, name: string) => {
    await reader?.read({ name, content: bytes('SLOW'), caller: by });
    done.push(name);
  };
  const slow = ['a1', 'a2', 'a3', 'a4'].map((name) => read('a', name));
  const others = ['b1', 'c1', 'b2'].map((name) => read(name.slice(0, 1), name));
  await Promise.all([...slow, ...others]);
  expect(done).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  await read('a', 'a5');
});

it('a caller with too many waiting documents is asked to wait, and others are not', async () => {
  reader = createDocumentReader(silentLogger);
  const content = bytes('words');
  const read = (by: string) => reader?.read({ name: 'x.txt', content, caller: by });
  // One is being read while ten wait.
  const first = Array.from({ length: 11 }, () => read('a'));
  await expect(read('a')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect((await read('b'))?.text).toBe('words');
  await Promise.all(first);
  expect((await read('a'))?.text).toBe('words');
});

it('documents that wait when the hub closes are refused', async () => {
  reader = createDocumentReader(silentLogger);
  const reads = ['a', 'a', 'b'].map((by) => reader?.read({ name: 'x.txt', content: bytes('words'), caller: by }));
  const ends = Promise.allSettled(reads);
  await reader.close();
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
});
