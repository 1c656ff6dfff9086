import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withScripts } from './with-scripts.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zoo-registry-'));
  mkdirSync(join(folder, 'tools', 'greet'), { recursive: true });
  writeFileSync(join(folder, 'tools', 'greet', 'tool.lua'), 'return {}');
});
afterEach(() => rmSync(folder, { recursive: true }));

it.each<[string, (manifest: string) => void]>([
  // A sparse file takes no space.
  [
    'a huge file',
    (manifest) => {
      writeFileSync(manifest, '');
      truncateSync(manifest, 400 * 1024 * 1024);
    },
  ],
  ['a link to a device', (manifest) => symlinkSync('/dev/null', manifest)],
])('a registry whose registry.toml is %s is read without it', (_name, make) => {
  make(join(folder, 'registry.toml'));
  const before = process.memoryUsage().rss;
  const { raw } = withScripts({ registries: { company: { path: '.' } } }, { folder, home: folder });
  expect(raw.tools).toEqual({ script: { greet: { path: 'tools/greet/tool.lua' } } });
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
});
