import { expect, it } from 'vitest';
import { acceptFiles, readFiles } from './use-attachments.ts';

const file = (name: string, size: number, type = 'text/plain') => ({ name, size, type });

it('files within the limits are accepted', () => {
  const files = [file('a.txt', 10), file('b.png', 5 * 1024 * 1024, 'image/png')];
  expect(acceptFiles([], files)).toEqual({ accepted: files, problem: null });
});

it.each([
  ['an empty file', [], file('a.txt', 0), '“a.txt” is empty. Attach another file.'],
  ['a large image', [], file('a.png', 6e6, 'image/png'), '“a.png” is 5.7 MB. The maximum for an image is 5 MB.'],
  ['a large file', [], file('a.pdf', 12e6), '“a.pdf” is 11.4 MB. The maximum for a file is 10 MB.'],
  ['one file more', Array(10).fill({ bytes: 1 }), file('a.txt', 1), 'A message can have at most 10 files.'],
  [
    'too much',
    [{ bytes: 15e6 }],
    file('a.txt', 1e6),
    'The files of a message can be at most 15 MB in total. Send some in another message.',
  ],
])('%s is refused, and the others are accepted', (_what, present, refused, problem) => {
  expect(acceptFiles(present, [refused])).toEqual({ accepted: [], problem });
});

it('a folder or a file that cannot be read is named, and the others are attached', async () => {
  const files = ['a.txt', 'photos', 'b.txt'].map((name) => new File(['x'], name));
  const read = async ({ name }: File) => {
    if (name === 'photos') throw new DOMException('not a file', 'NotFoundError');
    return { name, bytes: 1, preview: null, data: 'eA==' };
  };
  const { read: done, failed } = await readFiles(files, read);
  expect([done.map(({ name }) => name), failed]).toEqual([['a.txt', 'b.txt'], ['photos']]);
});
