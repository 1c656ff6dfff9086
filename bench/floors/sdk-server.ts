import { Server } from '@modelcontextprotocol/server';

/** The bare echo on the SDK's low-level server: one tool, no checks, no log. `lists` adds entries for the list benchmarks. */
export function createEchoServer(lists: { tools: number; prompts: number } = { tools: 1, prompts: 0 }): Server {
  const server = new Server({ name: 'floor', version: '1.0.0' }, { capabilities: { tools: {}, prompts: {} } });
  const tools = Array.from({ length: lists.tools }, (_, index) => ({
    name: index === 0 ? 'echo' : `echo_${index}`,
    description: 'Echoes its input.',
    inputSchema: { type: 'object' as const, properties: { agentId: { type: 'string' } } },
  }));
  const prompts = Array.from({ length: lists.prompts }, (_, index) => ({
    name: `prompt-${index}`,
    description: 'A prompt.',
  }));
  server.setRequestHandler('tools/list', () => ({ tools }));
  server.setRequestHandler('prompts/list', () => ({ prompts }));
  server.setRequestHandler('tools/call', (request) => ({
    content: [{ type: 'text' as const, text: JSON.stringify(request.params.arguments) }],
  }));
  return server;
}
