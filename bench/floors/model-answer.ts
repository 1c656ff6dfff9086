import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A model of no latency that answers every question with a few words, streamed or whole, as it is asked. */
const words = ['Booked', ' for', ' you', '.'];
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const whole = JSON.stringify({
  id: 'x',
  object: 'chat.completion',
  model: 'bench',
  choices: [{ index: 0, message: { role: 'assistant', content: words.join('') }, finish_reason: 'stop' }],
  usage,
});
const event = (data: object) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', model: 'bench', ...data })}\n\n`;
const pieces = words.map((content) => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }));
const streamed = `${pieces.join('')}${event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}data: [DONE]\n\n`;

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => {
    const isStreamed = (JSON.parse(text) as { stream?: boolean }).stream === true;
    response.writeHead(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' });
    response.end(isStreamed ? streamed : whole);
  });
});
server.listen(0, '127.0.0.1', () => {
  // A server that listens on a port has an AddressInfo.
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
