import { afterEach, expect, it } from 'vitest';
import { silentLogger } from '../base/logger.ts';
import { createDocumentReader, type DocumentReader } from './document-reader.ts';

const badWorker = new URL('../../test/support/knowledge/bad-index-worker.ts', import.meta.url);
let reader: DocumentReader | undefined;
afterEach(() => reader?.close());

const bytes = (text: string) => new TextEncoder().encode(text);

it('reads documents as text, whatever their buffer is used for afterwards', async () => {
  reader = createDocumentReader(silentLogger);
  const content = bytes('# Plan\n\nBuy hay.\n');
  const read = { text: '# Plan\n\nBuy hay.\n', mimeType: 'text/markdown' };
  expect(await Promise.all([reader.read('a.md', content), reader.read('b.md', content)])).toEqual([read, read]);
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
  const bad = reader.read('x.txt', bytes(what));
  const next = reader.read('y.txt', bytes('words'));
  await expect(bad).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  expect((await next).text).toBe('words');
});
