import { expect, test } from 'vitest';
import { parseClamped } from './clamp-settings.ts';
import { Config, FilesystemConnectorConfig } from './config.ts';

test.each([
  ['chunking', 'max_tokens', 20_000, 8_192],
  ['chunking', 'max_tokens', 5, 32],
  ['retrieval', 'final_limit', 500, 100],
  ['retrieval', 'candidate_k_keyword', 0, 1],
  ['embedding', 'batch_size', 5_000, 2_048],
] as const)('[%s] %s = %d becomes %d, with a warning', (section, key, value, limit) => {
  const { result, clamped } = parseClamped(Config, { [section]: { [key]: value } });
  expect(result.data?.[section]).toMatchObject({ [key]: limit });
  expect(clamped).toEqual([{ path: `${section}.${key}`, message: expect.stringContaining(String(limit)) }]);
});

test.each([
  ['chunking', 'max_tokens', 0],
  ['retrieval', 'final_limit', 0],
  ['retrieval', 'hybrid_alpha', 1.5],
  ['embedding', 'dims', 100_000],
  ['engine', 'max_ticks', 5_000],
])('[%s] %s = %d is refused: another number would mean something else', (section, key, value) => {
  const { result, clamped } = parseClamped(Config, { [section]: { [key]: value } });
  expect({ success: result.success, clamped }).toEqual({ success: false, clamped: [] });
});

test('a source keeps its other settings', () => {
  const { result } = parseClamped(FilesystemConnectorConfig, { root: '.', max_extract_bytes: 5e9, tags: ['x'] });
  expect(result.data).toMatchObject({ root: '.', max_extract_bytes: 1_073_741_824, tags: ['x'] });
});
