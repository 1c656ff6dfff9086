import { expect, it } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { listAllTools } from './list-all-tools.ts';

function list(page: (cursor: string | undefined) => JsonObject) {
  const log: string[] = [];
  const tools = listAllTools({
    server: 'listed',
    log: (_level, text) => log.push(text),
    page: async (cursor) => page(cursor),
  });
  return { tools, log };
}

const echo = { name: 'echo', inputSchema: { type: 'object' } };

it('leaves out a tool that is nested too deeply, and keeps the others', async () => {
  const deep = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`);
  const { tools, log } = list(() => ({ tools: [{ name: 'deep', inputSchema: { type: 'object', deep } }, echo] }));
  expect(await tools).toEqual([echo]);
  expect(log).toEqual([expect.stringContaining('nested more than')]);
});

it('rejects definitions that would fill the memory', async () => {
  let pages = 0;
  const { tools } = list((cursor = '0') => {
    pages += 1;
    const description = 'x'.repeat(8_000_000);
    return { tools: [{ ...echo, name: `tool_${cursor}`, description }], nextCursor: `${Number(cursor) + 1}` };
  });
  await expect(tools).rejects.toMatchObject({ code: 'TOO_LARGE', message: expect.stringContaining('characters') });
  expect(pages).toBe(5);
});
