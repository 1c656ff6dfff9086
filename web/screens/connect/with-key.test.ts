import { describe, expect, it } from 'vitest';
import { connectClients } from '../../../src/http/connect-clients.ts';
import { linkWithKey, takesKey, withKey } from './with-key.ts';

const options = {
  url: 'http://127.0.0.1:7331',
  stdioCommand: { command: 'zoo', args: ['mcp'] },
  configFile: null,
  anonymous: 'use' as const,
  agent: { id: 'fox', name: 'Füchsin & Söhne', tools: [] },
};
const key = 'zoo_client_a-b_c';

describe('the key on the page', () => {
  it('makes the same snippets as the hub would with this key', () => {
    const page = connectClients(options);
    const filled = connectClients({ ...options, key });
    for (const [index, { snippets }] of page.clients.entries())
      expect(snippets.map(({ text }) => withKey(page, text, key))).toEqual(
        filled.clients[index]?.snippets.map(({ text }) => text),
      );
    expect(filled.clients.flatMap(({ snippets }) => snippets).some(({ text }) => takesKey(filled, text))).toBe(false);
  });

  it('is part of the links', () => {
    const page = connectClients(options);
    const linkOf = (id: string) => {
      const link = page.clients.find((client) => client.id === id)?.link;
      if (!link) throw new Error(`${id} has no link`);
      return new URL(linkWithKey(page, link, key));
    };
    const url = 'http://127.0.0.1:7331/mcp?agent=fox';
    const headers = { Authorization: `Bearer ${key}` };
    expect(JSON.parse(atob(linkOf('cursor').searchParams.get('config') ?? ''))).toEqual({ url, headers });
    expect(JSON.parse(decodeURIComponent(linkOf('vscode').search.slice(1)))).toMatchObject({ url, headers });
    expect(linkOf('goose').searchParams.get('header')).toBe(`Authorization=Bearer ${key}`);
    expect(linkOf('goose').searchParams.get('description')).toBe('Füchsin & Söhne, an Agent Zoo agent');
  });
});
