import { describe, expect, it } from 'vitest';
import type { ExposedTool } from '../../../../src/agents/exposes/exposed-tool.ts';
import { renameProperty } from './edit-nodes.ts';
import * as offered from './offered-tools.ts';

const book: ExposedTool = {
  name: 'book',
  description: 'Books',
  parameters: { type: 'object', properties: { to: { type: 'string' }, day: { type: 'string' } }, required: ['to'] },
  prompt: 'To {to}',
  cache: { seconds: 60, key: ['to'] },
};
const cancel: ExposedTool = { name: 'cancel', description: '', parameters: { type: 'object' }, prompt: 'Cancel' };

const idOf = (row: offered.OfferedTool, name: string) =>
  row.parameters.keywords.properties?.find((property) => property.name === name)?.node.id ?? '';

describe('the builder', () => {
  it('changes the draft only with a valid schema', () => {
    const row = offered.startTool(book);
    const broken = offered.buildParameters(row, renameProperty(row.parameters, idOf(row, 'day'), 'to'));
    expect(broken.tool).toBe(book);
    expect(offered.unfinishedIn([broken])).toEqual([
      { path: 'exposes[0].parameters', message: '“to” is already used. Choose another name.' },
    ]);
    const [, second] = broken.parameters.keywords.properties ?? [];
    const repaired = offered.buildParameters(broken, renameProperty(broken.parameters, second?.node.id ?? '', 'date'));
    expect(Object.keys(repaired.tool.parameters.properties ?? {})).toEqual(['to', 'date']);
    expect(offered.unfinishedIn([repaired])).toEqual([]);
  });

  it('renames the cache key, even after an invalid name', () => {
    const row = offered.startTool(book);
    const id = idOf(row, 'to');
    const empty = offered.buildParameters(row, renameProperty(row.parameters, id, ''));
    const named = offered.buildParameters(empty, renameProperty(empty.parameters, id, 'city'));
    expect(named.tool.cache).toEqual({ seconds: 60, key: ['city'] });
  });
});

describe('typed JSON', () => {
  it('keeps the last valid schema while invalid, and its formatting while valid', () => {
    const row = offered.startTool(book);
    const typing = offered.typeParameters(row, '{"type": "obj');
    expect(typing).toMatchObject({
      tool: book,
      raw: { text: '{"type": "obj', problem: expect.stringContaining('line 1') },
    });
    expect(offered.unfinishedIn([offered.startTool(cancel), typing])[0]?.path).toBe('exposes[1].parameters');
    const typed = offered.typeParameters(typing, '{"type":"object","properties":{"to":{"type":"number"}}}');
    expect(typed.tool.parameters).toEqual({ type: 'object', properties: { to: { type: 'number' } } });
    expect(typed.raw).toEqual({ text: '{"type":"object","properties":{"to":{"type":"number"}}}', problem: null });
    expect(idOf(typed, 'to')).toBe(idOf(row, 'to'));
  });

  it('sets the output schema, and empty text removes it', () => {
    const row = offered.typeOutput(offered.startTool(book), '{"type": "object"}');
    expect(row.tool.outputSchema).toEqual({ type: 'object' });
    expect(offered.unfinishedIn([offered.typeOutput(row, '{')])[0]?.path).toBe('exposes[0].outputSchema');
    expect(offered.typeOutput(row, ' ').tool).toEqual(book);
  });
});

describe('tools from elsewhere', () => {
  const rows = [book, cancel].map(offered.startTool);

  it('keep their ids at any position', () => {
    const taken = offered.mergeTools(rows, structuredClone([cancel, book]));
    expect(taken.map((row) => row.id)).toEqual([rows[1]?.id, rows[0]?.id]);
    expect(taken[1]?.parameters).toBe(rows[0]?.parameters);
  });

  it('keep their ids when renamed, and new ones get new ids', () => {
    const taken = offered.mergeTools(rows, [{ ...book, name: 'reserve' }, cancel, { ...cancel, name: 'more' }]);
    expect(taken.slice(0, 2).map((row) => row.id)).toEqual(rows.map((row) => row.id));
    expect(rows.map((row) => row.id)).not.toContain(taken[2]?.id);
  });

  it('do not discard unfinished text', () => {
    const typing = rows.map((row) => offered.typeParameters(row, '{'));
    const [changed] = offered.mergeTools(typing, [{ ...book, parameters: { type: 'object' } }]);
    expect(changed?.raw?.text).toBe('{');
    expect(changed?.parameters.keywords).toEqual({ type: 'object' });
  });
});

it('a new tool and a copy get unused names', () => {
  const rows = [book, { ...book, name: 'book_2' }].map(offered.startTool);
  const [first] = rows;
  expect(offered.newTool(rows).tool.name).toBe('tool3');
  expect(first && offered.duplicateTool(rows, first).tool.name).toBe('book_3');
});
