import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileJsonSchema, type JsonSchema } from '../../src/base/json-schema/json-schema.ts';
import { RequestBodies } from '../../src/base/request-bodies.ts';
import type { BrainEntry } from '../../src/brain/brain.ts';
import { createApp } from '../../src/http/app.ts';
import { liveEvents } from '../../src/http/live-events.ts';
import type { OpenApiDocument } from '../../src/http/open-api.ts';
import { staticFiles } from '../../src/http/server/static-files.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

let zoo: TestHub;
let document: OpenApiDocument;
let entryId = '';
beforeAll(async () => {
  zoo = await serveTestHub({ toml: '[agents.filed]\nsystem_prompt = "From a file."\n' });
  document = (await zoo.call<OpenApiDocument>('GET', '/openapi.json')).body;
  await zoo.call('POST', '/api/agents', {
    body: {
      name: 'Alice',
      skillCategories: [{ id: 'c', name: 'Care', color: '#4f46e5' }],
      skills: [{ id: 's', name: 'Kind', description: 'Be kind.', categoryId: 'c' }],
      modelSettings: { nested: { deep: [1, null, 'x'] } },
    },
  });
  const { body } = await zoo.call<BrainEntry>('POST', '/api/agents/alice/brain', {
    body: { type: 'note', content: 'x', metadata: { any: [{ thing: true }] } },
  });
  entryId = body.id;
});
afterAll(() => zoo.end());

const pages = ['/openapi.json', '/docs', '/docs/docs.css'];

/** Throws when the value does not fit the schema of the document. */
function check(schema: JsonSchema, value: unknown): void {
  compileJsonSchema({ ...schema, components: document.components })(value);
}

describe('the OpenAPI document', () => {
  it('lists exactly the operations that the app serves, and /mcp', () => {
    const events = liveEvents(zoo.hub);
    const app = createApp(zoo.hub, {
      url: () => zoo.server.url,
      isStopping: () => false,
      stdioCommand: { command: 'zoo', args: ['mcp'] },
      events,
      files: staticFiles(zoo.folder),
      bodies: new RequestBodies(),
    });
    events.close();
    const served = app.routes
      .map((route) => `${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`)
      .filter((each) => !pages.includes(each.split(' ')[1] ?? ''));
    const described = Object.entries(document.paths)
      .filter(([path]) => path !== '/mcp' && path !== '/mcp/execute')
      .flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`));
    expect(described.length).toBeGreaterThan(25);
    expect(new Set(served)).toEqual(new Set(described));
    expect(served).toHaveLength(described.length);
    expect(Object.keys(document.paths['/mcp'] ?? {})).toEqual(['post', 'get', 'delete']);
    expect(Object.keys(document.paths['/mcp/execute'] ?? {})).toEqual(['post']);
  });

  it('has a summary, a group and a unique id for each operation', () => {
    const operations = Object.values(document.paths).flatMap((each) => Object.values(each));
    const groups = document.tags.map((tag) => tag.name);
    for (const operation of operations) {
      expect(operation.summary).not.toBe('');
      expect(groups).toContain(operation.tags[0]);
    }
    expect(new Set(operations.map((each) => each.operationId)).size).toBe(operations.length);
  });

  it('has no reference to anything outside it', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(references.length).toBeGreaterThan(20);
    for (const reference of references) {
      expect(reference).toMatch(/^#\/components\/schemas\//);
      expect(Object.keys(document.components.schemas)).toContain(reference.split('/').at(-1));
    }
  });

  it('has examples that fit their schemas', () => {
    for (const operation of Object.values(document.paths).flatMap((each) => Object.values(each))) {
      const body = operation.requestBody?.content['application/json'];
      if (body) check(body.schema, body.example);
    }
  });

  it.each([
    ['/api/agents', '/api/agents'],
    ['/api/agents/{id}', '/api/agents/alice'],
    ['/api/agents/{id}', '/api/agents/filed'],
    ['/api/agents/{id}/compiled', '/api/agents/alice/compiled'],
    ['/api/agents/{id}/versions', '/api/agents/alice/versions'],
    ['/api/agents/{id}/versions/{revision}', '/api/agents/alice/versions/1'],
    ['/api/agents/{id}/brain', '/api/agents/alice/brain'],
    ['/api/agents/{id}/brain/{entryId}', '/api/agents/alice/brain/ENTRY'],
    ['/api/templates', '/api/templates'],
    ['/api/export', '/api/export'],
    ['/api/connect', '/api/connect?agent=alice'],
    ['/api/status', '/api/status'],
    ['/api/servers', '/api/servers'],
    ['/api/tools', '/api/tools'],
    ['/api/providers', '/api/providers'],
    ['/api/runs', '/api/runs'],
    ['/api/chats', '/api/chats'],
    ['/agents/list', '/agents/list'],
    ['/tools/list', '/tools/list'],
    ['/health', '/health'],
    ['/ready', '/ready'],
  ])('describes %s correctly (%s)', async (path, address) => {
    const { status, body } = await zoo.call<object>('GET', address.replace('ENTRY', entryId));
    const schema = document.paths[path]?.get?.responses[status]?.content?.['application/json']?.schema;
    if (!schema) throw new Error(`${path} has no schema for ${status}`);
    check(schema, body);
    expect(() => check(schema, { surprise: true })).toThrow();
  });

  it('describes errors correctly', async () => {
    const { body } = await zoo.call<object>('GET', '/api/agents/nobody');
    check({ $ref: '#/components/schemas/ErrorBody' }, body);
  });
});
