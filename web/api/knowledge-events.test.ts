import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KnowledgeBody } from '../../src/knowledge/knowledge.contract.ts';
import type { SourceInfo } from '../../src/knowledge/knowledge.ts';
import { showProgress } from './knowledge-events.ts';
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
  client = new QueryClient();
  client.setQueryData(keys.knowledgeOverview, body);
});
afterEach(() => client.clear());

const overview = () => client.getQueryData<KnowledgeBody>(keys.knowledgeOverview);

describe('knowledge events', () => {
  it('update the progress of the syncing source only', () => {
    const progress = { source: 'filesystem:notes', phase: 'indexing', seen: 10, toRead: 8, read: 3 } as const;
    showProgress(client, { type: 'progress', progress });
    expect(overview()?.sources.map((each) => [each.name, each.state, each.progress])).toEqual([
      ['notes', 'syncing', progress],
      ['runbooks', 'ready', null],
    ]);
  });

  it('update the embedded count during a run', () => {
    const embeddings = { provider: 'local', model: 'mini', dims: 384, embedded: 10, pending: 90 };
    client.setQueryData(keys.knowledgeOverview, { ...body, embeddings });
    showProgress(client, { type: 'embedding', progress: { embedded: 64, pending: 26 }, done: false });
    expect(overview()?.embeddings).toEqual({ ...embeddings, embedded: 74, pending: 26 });
    expect(client.getQueryData(keys.embeddingNews)).toMatchObject({ done: false });
  });
});
