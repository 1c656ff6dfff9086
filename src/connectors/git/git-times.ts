import { type GitCall, recordsOfGit } from './git-process.ts';

/** When each file changed last, in milliseconds, from one walk through the history; it ends when all were met. */
export async function lastChanges(
  options: { commit: string; root: string; files: ReadonlySet<string> },
  call: GitCall,
): Promise<Map<string, number>> {
  const { commit, root, files } = options;
  const prefix = root === '' ? '' : `${root}/`;
  const below = root === '' ? [] : ['--', root];
  const args = ['log', '-z', '--name-only', '--no-renames', '--format=format:%x00%ct', commit, ...below];
  const times = new Map<string, number>();
  let time = 0;
  let isHeader = false;
  if (files.size === 0) return times;
  for await (const record of recordsOfGit(args, call)) {
    // An empty record stands before each commit; its own begins with the time and goes on with the first name.
    if (record === '') {
      isHeader = true;
      continue;
    }
    let name = record;
    if (isHeader) {
      const end = record.indexOf('\n');
      time = Number(end < 0 ? record : record.slice(0, end)) * 1000;
      name = end < 0 ? '' : record.slice(end + 1);
      isHeader = false;
    }
    if (!name.startsWith(prefix)) continue;
    const file = name.slice(prefix.length);
    if (!files.has(file) || times.has(file)) continue;
    times.set(file, time);
    if (times.size === files.size) break;
  }
  return times;
}
