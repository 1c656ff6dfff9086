import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';
import { throughput } from '../load.ts';

/**
 * The bare call of the AI SDK. `POST /`: one call behind the least of HTTP. `POST /bare {total, inFlight}`: so many calls with no
 * HTTP before them, and how many of them a second holds. With `streams` the answer comes in pieces, as it does for the hub.
 */
const model = createOpenAICompatible({ name: 'bench', baseURL: process.argv[2] ?? '' }).chatModel('bench');

const instructions = 'You book flights.';

async function ask(prompt: string, streams: boolean): Promise<string> {
  if (!streams) return (await generateText({ model, instructions, prompt })).text;
  let text = '';
  for await (const piece of streamText({ model, instructions, prompt }).textStream) text += piece;
  return text;
}

async function answer(path: string | undefined, body: string): Promise<object> {
  const given = JSON.parse(body) as { prompt: string; total: number; inFlight: number; streams?: boolean };
  const { streams = false } = given;
  if (path !== '/bare') return { text: await ask(given.prompt, streams) };
  const before = process.cpuUsage();
  const perSecond = await throughput(given.total, given.inFlight, (index) =>
    ask(`A flight to Paris, number ${index}`, streams),
  );
  const { user, system } = process.cpuUsage(before);
  return { perSecond, cpuMicroseconds: (user + system) / given.total };
}

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    void answer(request.url, body).then((data) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(data));
    });
  });
});
server.listen(0, '127.0.0.1', () => {
  // A server that listens on a port has an AddressInfo.
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
