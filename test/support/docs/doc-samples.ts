import { readFileSync } from 'node:fs';

/** A Markdown sample that is marked to be run, with its expected output. */
export interface DocSample {
  file: string;
  line: number;
  language: string;
  code: string;
  prints: string | null;
}

/** Returns the fenced blocks after `<!-- run -->`. A block after `<!-- prints -->` is the output of the previous sample. */
export function docSamples(file: string): DocSample[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const samples: DocSample[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const mark = lines[index]?.trim();
    if (mark !== '<!-- run -->' && mark !== '<!-- prints -->') continue;
    const language = /^```(\w+)$/.exec(lines[index + 1] ?? '')?.[1];
    if (!language) throw new Error(`${file}:${index + 1}: a fenced block must follow ${mark}`);
    const end = lines.indexOf('```', index + 2);
    const code = lines.slice(index + 2, end).join('\n');
    const last = samples.at(-1);
    if (mark === '<!-- run -->') samples.push({ file, line: index + 2, language, code, prints: null });
    else if (last) last.prints = code;
    index = end;
  }
  return samples;
}

/** Ignores repeated spaces when comparing printed text. */
export function normalise(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter((line) => line !== '')
    .join('\n');
}
