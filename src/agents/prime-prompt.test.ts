import { describe, expect, it } from 'vitest';
import type { KnowledgeReader } from '../knowledge/knowledge.ts';
import type { SearchRequest, SearchResult } from '../knowledge/search/search-request.ts';
import { type Agent, Agent as AgentSchema } from './agent.ts';
import { AgentRegistry } from './agent-registry.ts';
import { defineAgent } from './define-agent.ts';
import { findPassages, primedSection } from './prime-prompt.ts';

const signal = new AbortController().signal;

describe('an agent primed with passages', () => {
  it('searches with its arguments filled in, and with the filters of each entry', async () => {
    const { knowledge, asked } = knowledgeOf({});
    const agent = primed([
      { query: '{service} incident runbook', source: 'runbooks', limit: 2 },
      { query: 'severity {severity}', tags: ['sre'], mode: 'keyword' },
    ]);
    await findPassages(agent, { args: { service: 'payments' }, knowledge, signal });
    expect(asked).toEqual([
      { query: 'payments incident runbook', limit: 2, filters: { source: 'runbooks' } },
      { query: 'severity', limit: 3, filters: { tags: ['sre'] }, mode: 'keyword' },
    ]);
  });

  it('skips a query that consists of missing arguments', async () => {
    const { knowledge, asked } = knowledgeOf({});
    const [priming] = await findPassages(primed([{ query: '{service}' }]), { args: {}, knowledge, signal });
    expect(asked).toEqual([]);
    expect(priming).toMatchObject({ words: '', passages: [] });
  });

  it('gets each passage once, even if several searches find it', async () => {
    const one = found('runbook', 'Restart it.');
    const { knowledge } = knowledgeOf({ a: [one], b: [one, found('other', 'Wait.')] });
    const primings = await findPassages(primed([{ query: 'a' }, { query: 'b' }]), { args: {}, knowledge, signal });
    expect(primings.map((each) => each.passages.map(({ id }) => id))).toEqual([['runbook'], ['other']]);
  });

  it('has the passages after its prompt, each with its source', async () => {
    const { knowledge } = knowledgeOf({ restart: [found('runbook', '  Restart the worker.\n')] });
    const registry = registryOf(primed([{ query: 'restart' }]), knowledge);
    const { system } = await registry.resolve('responder', {}, { signal });
    expect(system).toBe(
      `Answer calmly.

---

## Knowledge

Passages found for this conversation. Name the source when you rely on one.

### Runbook › Restart
Source: git:runbooks runbook.md, lines 3–9, version 01234567, changed 2026-10-01

Restart the worker.`,
    );
  });

  it('has only its prompt if nothing is found', async () => {
    const { knowledge } = knowledgeOf({});
    const registry = registryOf(primed([{ query: 'restart' }]), knowledge);
    expect((await registry.resolve('responder', {}, { signal })).system).not.toContain('Knowledge');
    expect(primedSection([])).toBe('');
  });

  it('fails without a knowledge base', async () => {
    const registry = registryOf(primed([{ query: 'restart' }]), undefined);
    await expect(registry.resolve('responder', {}, { signal })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

describe('code that builds its prompt', () => {
  it('searches both ways, reads documents and lists sources', async () => {
    const { knowledge, asked } = knowledgeOf({ 'database schema': [found('schema', 'users(id)')] });
    const registry = new AgentRegistry([], { knowledge });
    registry.register(
      defineAgent({
        name: 'db-expert',
        description: 'Knows the schema',
        async resolve(_args, context) {
          const [first] = await context.search('database schema', { limit: 5, source: 'schemas' });
          const [second] = await context.search({ query: 'database schema', mode: 'keyword' });
          const { body } = await context.get(first?.id ?? '');
          return { system: `${first?.title} ${second?.id} ${body} ${(await context.sources()).length}` };
        },
      }),
    );
    const { system } = await registry.resolve('db-expert', {}, { signal });
    expect(system).toBe('Runbook schema whole text of schema 0');
    expect(asked).toEqual([
      { query: 'database schema', limit: 5, filters: { source: 'schemas' } },
      { query: 'database schema', mode: 'keyword' },
    ]);
  });
});

function primed(
  knowledge: { query: string; source?: string; tags?: string[]; mode?: 'keyword'; limit?: number }[],
): Agent {
  return AgentSchema.parse({
    id: 'responder',
    name: 'Responder',
    systemPrompt: 'Answer calmly.',
    arguments: [{ name: 'service' }, { name: 'severity' }],
    knowledge,
    source: 'store',
  });
}

function registryOf(agent: Agent, knowledge: KnowledgeReader | undefined): AgentRegistry {
  const registry = new AgentRegistry([], knowledge ? { knowledge } : {});
  registry.register({ agent, definedIn: 'the store' });
  return registry;
}

function knowledgeOf(answers: Record<string, SearchResult[]>): { knowledge: KnowledgeReader; asked: SearchRequest[] } {
  const asked: SearchRequest[] = [];
  const knowledge: KnowledgeReader = {
    async search(request) {
      asked.push(request);
      return answers[request.query] ?? [];
    },
    get: async (id) => ({
      id,
      body: `whole text of ${id}`,
      source: 'git:runbooks',
      sourceId: 'x.md',
      title: 'X',
      url: null,
      contentType: 'text/markdown',
      hash: '',
      updatedAt: 0,
      indexedAt: 0,
      tags: [],
      metadata: {},
      chunks: 1,
      size: 1,
    }),
    sources: async () => [],
  };
  return { knowledge, asked };
}

function found(id: string, text: string): SearchResult {
  return {
    id,
    score: 1,
    title: 'Runbook',
    source: 'git:runbooks',
    source_id: `${id}.md`,
    source_url: null,
    updated_at: '2026-10-01T08:00:00.000Z',
    snippet: text,
    passage: { text, heading: ['Runbook', 'Restart'], start_line: 3, end_line: 9, ordinal: 1 },
    version: '0123456789abcdef',
    age_seconds: 60,
    tags: [],
  };
}
