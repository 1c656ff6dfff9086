import { describe, expect, it } from 'vitest';
import type { ConnectSnippet } from '../../../src/http/hub.contract.ts';
import { snippetsByTransport } from './snippet-transport.ts';

const hub = { url: 'http://127.0.0.1:7331/mcp?agent=fox' };
const snippet = (title: string, text: string): ConnectSnippet => ({ title, file: null, language: 'shell', text });

describe('snippetsByTransport', () => {
  it('separates snippets that call the hub from those that start a command', () => {
    const http = snippet('a', `claude mcp add --transport http fox '${hub.url}'`);
    const stdio = snippet('b', 'claude mcp add fox -- zoo mcp --agent fox');
    const grouped = snippetsByTransport([stdio, http], hub);
    expect(grouped.get('http')).toEqual([http]);
    expect(grouped.get('stdio')).toEqual([stdio]);
  });

  it('leaves out a transport that a client does not have', () => {
    expect([...snippetsByTransport([snippet('a', 'zoo mcp')], hub).keys()]).toEqual(['stdio']);
  });
});
