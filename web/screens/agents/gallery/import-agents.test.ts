import { describe, expect, it } from 'vitest';
import { describeImport } from './import-agents.tsx';

const nothing = { created: [], renamed: [], replaced: [], skipped: [], brainEntries: 0, versions: 0, notes: [] };

describe('describeImport', () => {
  it.each([
    [{ ...nothing, created: ['a'] }, '1 agent imported', ''],
    [{ ...nothing, created: ['a'], renamed: [{ from: 'b', to: 'b-2' }] }, '2 agents imported', '“b” renamed to “b-2”'],
    [{ ...nothing, created: ['a'], brainEntries: 2 }, '1 agent imported', '2 brain entries'],
    [{ ...nothing, skipped: ['a'] }, 'No new agents in this file', '“a” already exists'],
  ])('describes %j', (report, title, description) => {
    expect(describeImport(report)).toEqual({ title, description });
  });

  it('names three and counts the rest', () => {
    const { description } = describeImport({ ...nothing, skipped: ['a', 'b', 'c', 'd', 'e'] });
    expect(description).toContain('and 2 more');
  });
});
