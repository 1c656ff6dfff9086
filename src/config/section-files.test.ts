import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { scriptFolder } from '../../test/support/lua/script-folder.ts';
import { scriptSections } from './script-sections.ts';
import { sectionFiles } from './section-files.ts';

test('a file that changes while it is being loaded is loaded again, so that its old text is not taken for the new one', async () => {
  await using folder = await scriptFolder({ 'zoo.toml': '[agents.code.one]\npath = "one.ts"\n', 'one.ts': 'first' });
  const changes = ['second'];
  const files = sectionFiles({
    sections: scriptSections(await folder.open()).code,
    // As Node's import does, which reads the file itself.
    async load({ path }) {
      const change = changes.shift();
      if (change !== undefined) await folder.write('one.ts', change);
      return readFile(path, 'utf8');
    },
  });
  expect((await files.snapshot()).entries).toEqual(['second']);
  await folder.write('one.ts', 'first');
  expect((await files.snapshot()).entries).toEqual(['first']);
  await files.close();
});
