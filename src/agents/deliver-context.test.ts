import { describe, expect, it } from 'vitest';
import { HubError } from '../base/hub-error.ts';
import {
  type ContextReader,
  contextLinks,
  contextSection,
  contextWarnings,
  deliverContext,
} from './deliver-context.ts';

const signal = new AbortController().signal;
const sizes: Record<string, number> = { 'a.md': 30, 'b.md': 80, 'c.md': 40, 'https://x.example/p': 20 };
const readRefs: string[] = [];
const reader: ContextReader = {
  async find(ref) {
    const tokens = sizes[ref];
    if (tokens === undefined) throw new HubError('NOT_FOUND', 'There is no such file.');
    return {
      ...(ref.startsWith('http') ? { url: ref } : { mimeType: 'text/markdown' }),
      async read() {
        readRefs.push(ref);
        return { text: `Text of ${ref}.`, tokens };
      },
    };
  },
};
const deliver = (contextRefs: string[], contextBudget: number) =>
  deliverContext({ id: 'x', contextRefs, contextBudget }, { reader, signal });

describe('deliverContext', () => {
  it('embeds in order what fits the budget, and links the rest', async () => {
    const { items } = await deliver(['a.md', 'b.md', 'c.md', 'gone.md'], 100);
    expect(items).toEqual([
      {
        ref: 'a.md',
        uri: 'agent-zoo://agents/x/context/a.md',
        mimeType: 'text/markdown',
        tokens: 30,
        delivery: 'embedded',
      },
      expect.objectContaining({ delivery: 'link', note: 'It has about 80 tokens; 70 of 100 were left.' }),
      expect.objectContaining({ ref: 'c.md', delivery: 'embedded' }),
      expect.objectContaining({ delivery: 'missing', note: 'There is no such file.' }),
    ]);
    expect(contextLinks(items)).toEqual([
      {
        type: 'resource_link',
        uri: 'agent-zoo://agents/x/context/b.md',
        name: 'b.md',
        title: 'b.md',
        mimeType: 'text/markdown',
      },
    ]);
    expect(contextWarnings(items)).toEqual(['The context reference "gone.md" was left out. There is no such file.']);
  });

  it('reads nothing with a budget of 0', async () => {
    readRefs.length = 0;
    const { items } = await deliver(['a.md', 'https://x.example/p'], 0);
    expect(readRefs).toEqual([]);
    expect(items.map(({ uri, delivery, tokens }) => [uri, delivery, tokens])).toEqual([
      ['agent-zoo://agents/x/context/a.md', 'link', null],
      ['https://x.example/p', 'link', null],
    ]);
  });

  it('marks the text of pages as written by others', async () => {
    const delivered = await deliver(['a.md', 'https://x.example/p'], 100);
    expect(delivered.outside).toEqual(['the page https://x.example/p']);
    const section = contextSection(delivered);
    expect(section).toContain('## Context\n\n### a.md\n\nText of a.md.');
    expect(section).toMatch(
      /\[outside text (\w+) from https:\/\/x\.example\/p\]\nText of .*\n\[end of outside text \1\]/,
    );
  });

  it('adds nothing if nothing can be delivered', async () => {
    expect(contextSection(await deliver(['gone.md'], 100))).toBe('');
  });
});
