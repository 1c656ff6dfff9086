import { readFileSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * An MCP server over stdio whose tools, and on request its name, are defined in a JSON file, its first argument. It reads the file for each
 * list, reports when it changes, and answers every call with the name of the tool and its input.
 */
const file = process.argv[2] ?? '';

interface Request {
  id?: string | number;
  method: string;
  params?: { name?: string; arguments?: unknown; protocolVersion?: string };
}

function read(): { serverInfo?: object; tools: object[] } {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function answerTo({ method, params }: Request): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: read().serverInfo ?? { name: 'file-tools', version: '1.0.0' },
      };
    case 'tools/list':
      return { tools: read().tools };
    case 'tools/call':
      return { content: [{ type: 'text', text: `${params?.name} ${JSON.stringify(params?.arguments)}` }] };
    case 'ping':
      return {};
  }
}

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line) as Request;
  if (request.id === undefined) return;
  const result = answerTo(request);
  if (result) write({ id: request.id, result });
  else write({ id: request.id, error: { code: -32601, message: `No method ${request.method}` } });
});
// Watches the folder, because a replaced file is another file. The watcher must not keep the process alive.
watch(dirname(file), (_event, name) => {
  if (name === basename(file)) write({ method: 'notifications/tools/list_changed' });
}).unref();
process.stderr.write(`Tools are read from ${basename(file)}\n`);
