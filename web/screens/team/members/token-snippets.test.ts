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
      'agent-zoo': {
        type: 'http',
        url: 'http://127.0.0.1:4170/mcp',
        headers: { Authorization: 'Bearer secret-token' },
      },
    },
  });
});
