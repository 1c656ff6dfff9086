import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PrimeBody } from '../../src/agents/prompts.contract.ts';
import type { DocumentSummary } from '../../src/knowledge/document-part.ts';
import type { DocumentView, KnowledgeBody, SearchBody } from '../../src/knowledge/knowledge.contract.ts';
import type { SourceInfo } from '../../src/knowledge/knowledge.ts';
import type { SearchResult } from '../../src/knowledge/search/search-request.ts';
import { newTestDatabase, type TestDatabase, usualDatabaseKinds } from '../support/databases/test-database.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

describe.each(usualDatabaseKinds)('the knowledge base over HTTP on %s', (kind) => {
  let database: TestDatabase;
  let hub: TestHub;
  let folder: string;

  beforeAll(async () => {
    database = await newTestDatabase(kind);
    folder = await mkdtemp(join(tmpdir(), 'zoo-knowledge-'));
    await mkdir(join(folder, 'runbooks'));
    await writeFile(
      join(folder, 'runbooks/payments.md'),
      '---\ntags: [sre]\n---\n# Payments\n\n## Restart\nRestart the payments worker, then watch the queue.\n\n## Escalate\nCall the lead on duty.\n',
    );
    await writeFile(join(folder, 'runbooks/search.md'), '# Search\n\nRebuild the index AND wait.\n');
    hub = await serveTestHub({
      db: database.db,
      toml: `[connectors.filesystem.configured]\nroot = ${JSON.stringify(join(folder, 'runbooks'))}\n`,
    });
  });

  afterAll(async () => {
    await hub.end();
    await database.remove();
    await rm(folder, { recursive: true, force: true });
  });

  it('knows its sources before the first sync', async () => {
    const { body } = await hub.call<KnowledgeBody>('GET', '/api/knowledge');
    expect(body).toMatchObject({
      documents: 0,
      embeddings: { provider: 'disabled' },
      sources: [{ source: 'filesystem:configured', origin: 'config', state: 'never', documents: 0 }],
    });
  });

  it('adds a folder, syncs it and reports the progress', async () => {
    const added = await hub.call<SourceInfo>('POST', '/api/knowledge/sources', {
      body: { type: 'filesystem', name: 'notes', settings: { root: join(folder, 'runbooks'), tags: ['mine'] } },
    });
    expect(added).toMatchObject({ status: 201, body: { source: 'filesystem:notes', origin: 'store', state: 'never' } });

    const events = await fetch(`${hub.server.url}/api/events`, { headers: { ...hub.owner } });
    const started = await hub.call<{ requests: { id: string }[] }>('POST', '/api/knowledge/sync', {
      body: { target: 'filesystem:notes' },
    });
    expect(started).toMatchObject({ status: 202, body: { sources: ['filesystem:notes'] } });
    const told = await readUntil(events, /"type":"synced"/);
    expect(told).toContain('event: progress');
    expect(told).toMatch(/"type":"synced","report":\{"source":"filesystem:notes","added":2/);
    const request = `/api/knowledge/sync/requests/${started.body.requests[0]?.id}`;
    expect(await hub.call('GET', request)).toMatchObject({
      body: { state: 'done', outcome: 'complete', full: false, report: { added: 2 } },
    });
    expect((await hub.call('GET', '/api/knowledge/sync/requests/sync_none')).status).toBe(404);
    const nothing = await hub.call('POST', '/api/knowledge/sync/cancel', { body: { source: 'filesystem:notes' } });
    expect(nothing).toMatchObject({
      status: 404,
      body: { error: { message: expect.stringContaining('is running or waiting') } },
    });

    const { body } = await hub.call<KnowledgeBody>('GET', '/api/knowledge');
    expect(body.sources.find((each) => each.name === 'notes')).toMatchObject({
      state: 'ready',
      documents: 2,
      lastReport: { added: 2, failedCount: 0 },
    });
  });

  it('finds passages with their provenance', async () => {
    const { body } = await search({ query: 'restart payments', explain: true });
    expect(body.mode).toBe('keyword');
    expect(body.results[0]).toMatchObject({
      title: 'Payments',
      source: 'filesystem:notes',
      source_id: 'payments.md',
      score: 1,
      tags: expect.arrayContaining(['sre', 'mine']),
      passage: { start_line: expect.any(Number), text: expect.stringContaining('Restart the payments worker') },
      version: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(body.results[0]?.snippet).toMatch(/\*\*Restart\*\*/);
    const explain = body.results[0]?.explain;
    const sum = [...(explain?.terms ?? []).map((term) => term.score), ...Object.values(explain?.bonuses ?? {})];
    expect(sum.reduce((total, score) => total + score, 0)).toBeCloseTo(explain?.keyword ?? Number.NaN, 6);
  });

  it('takes AND as a word', async () => {
    expect((await search({ query: 'index AND nowhere' })).body.results.map((each) => each.title)).toContain('Search');
  });

  it.each([
    ['source', { source: 'configured' }, []],
    ['source', { source: 'notes' }, ['payments.md']],
    ['tags', { tags: ['nobody'] }, []],
    ['tags', { tags: 'sre' }, ['payments.md']],
    ['since', { since: '2999-01-01' }, []],
    ['until', { until: '2999-01-01' }, ['payments.md']],
  ])('filters by %s: %j', async (_name, filters, expected) => {
    const { body } = await search({ query: 'payments', filters });
    expect(body.results.map((each) => each.source_id)).toEqual(expected);
  });

  it.each([
    ['no query', {}, /query/],
    ['a mode nobody knows', { query: 'x', mode: 'magic' }, /mode/],
    ['a limit between two numbers', { query: 'x', limit: 1.5 }, /limit/],
    ['a date that is none', { query: 'x', filters: { since: 'yesterday' } }, /since: must be a date/],
    ['a filter nobody knows', { query: 'x', filters: { author: 'me' } }, /author/],
    ['no object', ['x'], /object/],
  ])('refuses %s', async (_name, body, message) => {
    const answer = await hub.call('POST', '/api/knowledge/search', { body });
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'bad_request' } } });
    expect(answer.body.error.message).toMatch(message);
  });

  it('gives advice when a search by meaning is not configured', async () => {
    const answer = await hub.call('POST', '/tools/search', { body: { query: 'x', mode: 'semantic' } });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: 'embeddings_disabled' } },
    });
    expect(answer.body.error.message).toContain('[embedding] provider');
  });

  it('falls back to keywords for a hybrid search without embeddings', async () => {
    expect((await search({ query: 'payments', mode: 'hybrid' })).body).toMatchObject({ mode: 'keyword' });
  });

  it('returns whole documents and their passages', async () => {
    const { body: list } = await hub.call<{ documents: DocumentSummary[]; cursor: string | null }>(
      'GET',
      '/api/knowledge/documents?text=PAYM',
    );
    expect(list.documents.map((each) => each.source_id)).toEqual(['payments.md']);
    const { body } = await hub.call<DocumentView>('GET', `/api/knowledge/documents/${list.documents[0]?.id}`);
    expect(body.body).toContain('# Payments');
    expect(body.passages.length).toBe(body.document.chunks);
    expect(body).toMatchObject({ next: null, totalPassages: body.document.chunks });
    const some = `/api/knowledge/documents/${list.documents[0]?.id}?lines=4-&max_bytes=13`;
    expect((await hub.call<DocumentView>('GET', some)).body).toMatchObject({
      body: '# Payments\n\n',
      range: { start_line: 4, end_line: 5 },
      next: { lines: '6-' },
    });
    expect(await hub.call('GET', some.replace('4-', 'four'))).toMatchObject({ status: 400 });
    expect(await hub.call('GET', some.replace('13', '999999999'))).toMatchObject({ status: 400 });
    const got = await hub.call<{ result: { body: string } }>('POST', '/tools/get', {
      body: { id: list.documents[0]?.id },
    });
    expect(got.body.result.body).toBe(body.body);
    const ranged = await hub.call<{ result: object }>('POST', '/tools/get', {
      body: { id: list.documents[0]?.id, lines: '4-5', max_bytes: 1_000 },
    });
    expect(ranged.body.result).toMatchObject({
      body: '# Payments\n\n',
      title: 'Payments',
      range: { start_line: 4, end_line: 5 },
      next: { id: list.documents[0]?.id, lines: '6-' },
    });
    expect(await hub.call('POST', '/tools/get', { body: { id: list.documents[0]?.id, lines: '0' } })).toMatchObject({
      status: 400,
    });
    expect(await hub.call('GET', '/api/knowledge/documents/doc_none')).toMatchObject({ status: 404 });
    expect(await hub.call('POST', '/tools/get', { body: { id: 'doc_none' } })).toMatchObject({ status: 404 });
  });

  it('explains why a file is indexed or skipped', async () => {
    type Explained = { explanations: { source: string; isTaken: boolean; reason: string | null; message: string }[] };
    const explain = (path: string, target = 'all') =>
      hub.call<Explained>('GET', `/api/knowledge/explain?${new URLSearchParams({ path, target })}`);
    expect((await explain('payments.md')).body.explanations[0]).toMatchObject({ isTaken: true, reason: null });
    await writeFile(join(folder, 'runbooks/server.pem'), 'x');
    expect((await explain('server.pem')).body.explanations[0]).toMatchObject({ isTaken: false, reason: 'secret' });
    await rm(join(folder, 'runbooks/server.pem'));
    expect(await explain('none.md')).toMatchObject({ status: 404 });
    expect(await explain('a.md', 'git:none')).toMatchObject({ status: 404 });
    expect(await hub.call('GET', '/api/knowledge/explain')).toMatchObject({ status: 400 });
  });

  it('pages through documents', async () => {
    const { body: first } = await hub.call<{ documents: DocumentSummary[]; cursor: string | null }>(
      'GET',
      '/api/knowledge/documents?limit=1',
    );
    const cursor = encodeURIComponent(first.cursor ?? '');
    const { body: second } = await hub.call<{ documents: DocumentSummary[]; cursor: string | null }>(
      'GET',
      `/api/knowledge/documents?limit=1&cursor=${cursor}`,
    );
    expect([...first.documents, ...second.documents].map((each) => each.source_id)).toEqual([
      'payments.md',
      'search.md',
    ]);
    expect(await hub.call('GET', '/api/knowledge/documents?cursor=nonsense')).toMatchObject({ status: 400 });
  });

  it('shows the passages that an agent would be primed with', async () => {
    const knowledge = [{ query: '{service} restart', limit: 1 }];
    const { body } = await hub.call<PrimeBody>('POST', '/api/knowledge/prime', {
      body: { arguments: [{ name: 'service' }], knowledge, values: { service: 'payments' } },
    });
    expect(body.primings[0]).toMatchObject({ words: 'payments restart' });
    await hub.call('POST', '/api/agents', {
      body: { id: 'responder', name: 'Responder', arguments: [{ name: 'service' }], knowledge },
    });
    const prompt = await hub.call<{ result: { system: string } }>('POST', '/agents/responder/prompt', {
      body: { service: 'payments' },
    });
    expect(prompt.body.result.system).toBe(body.text);
    expect(body.text).toContain('Restart the payments worker');
  });

  it.each([
    ['a missing folder', { type: 'filesystem', name: 'gone', settings: { root: '/nowhere/at/all' } }, /does not exist/],
    ['no root', { type: 'filesystem', name: 'x', settings: {} }, /root/],
    ['an unknown setting', { type: 'filesystem', name: 'x', settings: { root: '/tmp', rooot: 1 } }, /rooot/],
    ['a script', { type: 'script', name: 'x', settings: { path: 'x.lua' } }, /type/],
    ['a name with a slash', { type: 'filesystem', name: 'a/b', settings: { root: '/tmp' } }, /name/],
  ])('does not add %s', async (_name, body, message) => {
    const before = await hub.call<KnowledgeBody>('GET', '/api/knowledge');
    const answer = await hub.call('POST', '/api/knowledge/sources', { body });
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(message);
    expect((await hub.call<KnowledgeBody>('GET', '/api/knowledge')).body.sources).toEqual(before.body.sources);
  });

  it('neither adds a source twice nor removes one from the config file', async () => {
    const body = { type: 'filesystem', name: 'notes', settings: { root: folder } };
    expect(await hub.call('POST', '/api/knowledge/sources', { body })).toMatchObject({ status: 409 });
    expect(await hub.call('DELETE', '/api/knowledge/sources/filesystem%3Aconfigured')).toMatchObject({
      status: 403,
      body: { error: { code: 'read_only' } },
    });
    expect(await hub.call('POST', '/api/knowledge/sync', { body: { target: 'nothing' } })).toMatchObject({
      status: 404,
    });
    expect(await hub.call('POST', '/api/knowledge/embed')).toMatchObject({
      status: 400,
      body: { error: { code: 'embeddings_disabled' } },
    });
  });

  it('removes a source with its documents', async () => {
    expect(await hub.call('DELETE', '/api/knowledge/sources/filesystem%3Anotes')).toMatchObject({ status: 204 });
    const { body } = await hub.call<KnowledgeBody>('GET', '/api/knowledge');
    expect(body).toMatchObject({ documents: 0, sources: [{ source: 'filesystem:configured' }] });
    expect((await search({ query: 'payments' })).body.results).toEqual([]);
  });

  function search(
    body: Record<string, unknown>,
  ): Promise<{ body: Omit<SearchBody, 'results'> & { results: SearchResult[] } }> {
    return hub.call<SearchBody>('POST', '/api/knowledge/search', { body });
  }
});

async function readUntil(response: Response, pattern: RegExp): Promise<string> {
  let told = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    told += piece;
    if (pattern.test(told)) break;
  }
  return told;
}
