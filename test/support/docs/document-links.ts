import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { root } from '../../../scripts/run-step.ts';

/** Returns all Markdown files of the documentation. */
export function documentFiles(): string[] {
  return globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md', '.github/**/*.md'], { cwd: root })
    .map((file) => join(root, file))
    .sort();
}

export interface DocumentLink {
  /** The link as written. */
  target: string;
  /** The target file; undefined for other sites. */
  file: string | undefined;
  anchor: string | undefined;
  isPicture: boolean;
}

/** Returns the links and images of a document, except those in code. */
export function linksIn(document: string): DocumentLink[] {
  const text = withoutCode(readFileSync(document, 'utf8'));
  return [...text.matchAll(/(!?)\[[^\]]*\]\(([^()\s]+)\)/g)].map(([, mark, target = '']) => {
    const [path = '', anchor] = target.split('#');
    const isElsewhere = /^[a-z]+:/.test(target);
    const file = path === '' ? document : resolve(dirname(document), path);
    return { target, file: isElsewhere ? undefined : file, anchor, isPicture: mark === '!' };
  });
}

export function picturesIn(document: string): string[] {
  return linksIn(document).flatMap(({ file, isPicture }) => (isPicture && file !== undefined ? [file] : []));
}

/** Returns the anchors of a document's headings, as GitHub generates them. */
export function anchorsIn(document: string): Set<string> {
  const headings = readFileSync(document, 'utf8')
    .replace(/^```[\s\S]*?^```/gm, '')
    .matchAll(/^#+ (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, 'code');
}
