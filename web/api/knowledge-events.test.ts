import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KnowledgeBody } from '../../src/knowledge/knowledge.contract.ts';
import type { SourceInfo } from '../../src/knowledge/knowledge.ts';
import { knowledgeListener } from './knowledge-events.ts';
import { keys } from './queries.ts';

const source = (name: string): SourceInfo => ({
  source: `filesystem:${name}`,
  type: 'filesystem',
  name,
  place: `/${name}`,
  origin: 'store',
  documents: 0,
  chunks: 0,
  state: 'ready',
  lastSyncedAt: null,
  message: null,
  lastReport: null,
  progress: null,
  requestedAt: null,
});
const body: KnowledgeBody = {
  sources: [source('notes'), source('runbooks')],
  documents: 0,
  chunks: 0,
  size: 0,
  embeddings: { provider: 'disabled' },
};

let client: QueryClient;
beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
  client.setQueryData(keys.knowledgeOverview, body);
});
afterEach(() => {
  vi.useRealTimers();
  client.clear();
});

const overview = () => client.getQueryData<KnowledgeBody>(keys.knowledgeOverview);
const isOld = (key: readonly unknown[]) => client.getQueryState(key)?.isInvalidated;

describe('news of the knowledge base', () => {
  it('moves the bar of the source that is synced and of no other', () => {
    const progress = { source: 'filesystem:notes', phase: 'indexing', seen: 10, toRead: 8, read: 3 } as const;
    knowledgeListener(client).apply({ type: 'progress', progress });
    expect(overview()?.sources.map((each) => [each.name, each.state, each.progress])).toEqual([
      ['notes', 'syncing', progress],
      ['runbooks', 'ready', null],
    ]);
  });

  it('fetches again once for many changes in a row', () => {
    const invalidate = vi.spyOn(client, 'invalidateQueries');
    const listener = knowledgeListener(client);
    for (let batch = 0; batch < 20; batch += 1) listener.apply({ type: 'changed' });
    expect(invalidate).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_000);
    expect(invalidate).toHaveBeenCalledTimes(1);
    listener.apply({ type: 'changed' });
    vi.advanceTimersByTime(1_000);
    expect(invalidate).toHaveBeenCalledTimes(2);
  });

  it('shows the end of a sync at once, and what it brought soon after', () => {
    client.setQueryData([...keys.documents, {}], []);
    knowledgeListener(client).apply({ type: 'sources' });
    expect(isOld(keys.knowledgeOverview)).toBe(true);
    expect(isOld([...keys.documents, {}])).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect(isOld([...keys.documents, {}])).toBe(true);
  });

  it('counts what is embedded while it happens', () => {
    const embeddings = { provider: 'local', model: 'mini', dims: 384, embedded: 10, pending: 90 };
    client.setQueryData(keys.knowledgeOverview, { ...body, embeddings });
    const listener = knowledgeListener(client);
    listener.apply({ type: 'embedding', progress: { embedded: 64, pending: 26 }, done: false });
    expect(overview()?.embeddings).toEqual({ ...embeddings, embedded: 74, pending: 26 });
    expect(client.getQueryData(keys.embeddingNews)).toMatchObject({ done: false });
    vi.advanceTimersByTime(1_000);
    expect(isOld(keys.knowledgeOverview)).toBe(false);
    listener.apply({ type: 'embedding', progress: { embedded: 90, pending: 0 }, done: true });
    vi.advanceTimersByTime(1_000);
    expect(isOld(keys.knowledgeOverview)).toBe(true);
  });

  it('asks for nothing after the page stopped listening', () => {
    const listener = knowledgeListener(client);
    listener.apply({ type: 'changed' });
    listener.close();
    vi.advanceTimersByTime(1_000);
    expect(isOld(keys.knowledgeOverview)).toBe(false);
  });
});
