import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../scripts/run-step.ts';
import { anchorsIn, documentFiles, linksIn, picturesIn } from './support/docs/document-links.ts';

describe('the documentation', () => {
  it.each(documentFiles().map((file) => [relative(root, file), file]))(
    'links in %s lead somewhere',
    (_name, document) => {
      const broken = linksIn(document).filter(
        ({ file, anchor }) =>
          file !== undefined &&
          (!existsSync(file) || (anchor !== undefined && file.endsWith('.md') && !anchorsIn(file).has(anchor))),
      );
      expect(broken.map(({ target }) => target)).toEqual([]);
    },
  );

  it.each(documentFiles().map((file) => [relative(root, file), file]))(
    'files that %s names exist',
    (name, document) => {
      // The architecture names files without their ending, too.
      const ending = name === 'ARCHITECTURE.md' ? '(?:\\.tsx?)?' : '\\.tsx?';
      const named = readFileSync(document, 'utf8').matchAll(
        new RegExp(`\`([a-z][\\w-]*(?:/[\\w.-]+)+${ending})\``, 'g'),
      );
      const missing = [...named]
        .map(([, path = '']) => path)
        .filter(
          (path) =>
            !['', '.ts', '.tsx'].some(
              (end) => existsSync(join(root, path + end)) || existsSync(join(root, 'src', path + end)),
            ),
        );
      expect(missing).toEqual([]);
    },
  );

  it('shows every picture that is kept', () => {
    const folder = join(root, 'docs', 'screenshots');
    const kept = readdirSync(folder).map((name) => join(folder, name));
    expect(kept.sort()).toEqual([...new Set(documentFiles().flatMap(picturesIn))].sort());
  });

  it('opens with a short animation of the app', () => {
    const [animation = ''] = picturesIn(join(root, 'README.md'));
    const png = readFileSync(animation);
    expect(png.length).toBeLessThan(1_500_000);
    // The chunk that makes a PNG an animation follows the header, and begins with the number of frames.
    expect(png.toString('latin1', 37, 41)).toBe('acTL');
    expect(png.readUInt32BE(41)).toBeGreaterThan(5);
  });

  it('lists every decision record in order, each under a number of its own', () => {
    const folder = join(root, 'docs', 'decisions');
    const records = readdirSync(folder).filter((name) => /^\d/.test(name));
    const listed = linksIn(join(folder, 'README.md')).map(({ target }) => target);
    expect(listed).toEqual(records.sort());
    // Numbers may be missing: records are written at the same time, and land in any order.
    expect(new Set(records.map((name) => name.slice(0, 4))).size).toBe(records.length);
  });
});
