import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A model of no latency: asks for its tool until the conversation has as many ticks as wanted, then answers. */
const ticks = Number(process.argv[2] ?? 10);

const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const { messages } = JSON.parse(text) as { messages: { role: string }[] };
  const done = messages.filter(({ role }) => role === 'tool').length;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const calls = [
    { index: 0, id: `call_${done}`, type: 'function', function: { name: 'echo', arguments: '{"text":"x"}' } },
  ];
  const delta = done < ticks - 1 ? { role: 'assistant', tool_calls: calls } : { role: 'assistant', content: 'Done.' };
  const reason = done < ticks - 1 ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const event = (data: object) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', model: 'bench', ...data })}\n\n`;
  response.write(event({ choices: [{ index: 0, delta, finish_reason: null }] }));
  response.write(event({ choices: [{ index: 0, delta: {}, finish_reason: reason }], usage }));
  response.end('data: [DONE]\n\n');
});
server.listen(0, '127.0.0.1', () => {
  // A server that listens on a port has an AddressInfo.
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
