import { expect, it } from 'vitest';
import { tokenSnippets } from './token-snippets.ts';

const snippets = tokenSnippets({ url: 'http://127.0.0.1:4170', memberId: 'worker-1', token: 'secret-token' });

it('every snippet sends the token', () => {
  for (const { text } of snippets) expect(text).toMatch(/Authorization"?: "?Bearer secret-token/);
});

it('the call names the member and is valid JSON within single quotes', () => {
  const body = /-d '(.*)'$/.exec(snippets[0]?.text ?? '')?.[1] ?? '';
  expect(JSON.parse(body)).toEqual({ agentId: 'worker-1', toolName: 'mcp__mail__list_inbox', input: {} });
});

it('the config is valid for MCP clients', () => {
  expect(JSON.parse(snippets[1]?.text ?? '')).toEqual({
    mcpServers: {
      'agent-zoo-worker-1': {
        type: 'http',
        url: 'http://127.0.0.1:4170/mcp',
        headers: { Authorization: 'Bearer secret-token' },
      },
    },
  });
});

it('two members on one machine have servers of different names', () => {
  const other = tokenSnippets({ url: 'http://127.0.0.1:4170', memberId: 'worker-2', token: 'other-token' });
  const namesIn = (text: string | undefined) => text?.match(/agent-zoo-worker-\d/g);
  for (const index of [1, 2]) {
    expect(namesIn(snippets[index]?.text)).toEqual(['agent-zoo-worker-1']);
    expect(namesIn(other[index]?.text)).toEqual(['agent-zoo-worker-2']);
  }
});
