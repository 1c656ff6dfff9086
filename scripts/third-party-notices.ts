import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { root } from './run-step.ts';

/** Licences ask that their text goes along with the code; bundling would leave it behind. */
export function thirdPartyNotices(files: Iterable<string>): string {
  const packages = new Set<string>();
  for (const file of files) {
    const found = [...file.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)].at(-1);
    // Before the colon stands a plugin's name.
    const start = Math.max(file.lastIndexOf(':', found?.index) + 1, 0);
    if (found) packages.add(relative(root, resolve(root, file.slice(start, found.index + found[0].length - 1))));
  }
  const notices = [...packages].sort().map(noticeOf);
  return `Agent Zoo contains code of these packages.\n\n${notices.join('\n')}`;
}

function noticeOf(folder: string): string {
  const path = join(root, folder);
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Record<
    string,
    string
  >;
  const file = readdirSync(path).find((each) => /^(licen[cs]e|copying)/i.test(each));
  const text = file && existsSync(join(path, file)) ? readFileSync(join(path, file), 'utf8').trim() : '';
  return `---- ${name} ${version} (${license ?? 'see its package'}) ----\n\n${text}\n`;
}
