import { fdatasyncSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * JSON-RPC over stdio by hand, without a check of anything, that makes a durable commit with call and result before the reply. Calls
 * that are there together share it. What the disk allows a server that keeps such a log.
 */
const [file = ''] = process.argv.slice(2);
const text = 'You review code against the conventions of the project. '.repeat(8);

interface Request {
  id?: number;
  method: string;
  params?: unknown;
}

const database = new DatabaseSync(file);
database.exec(
  'pragma journal_mode = wal; pragma synchronous = normal; create table log (id integer primary key, text text)',
);
const insert = database.prepare('insert into log (text) values (?)');
insert.run('');
const log = openSync(`${file}-wal`, 'r+');

let waiting: Request[] = [];
let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const request = JSON.parse(line) as Request;
    if (request.id === undefined) continue;
    if (waiting.length === 0) setImmediate(answer);
    waiting.push(request);
  }
});

function answer(): void {
  const calls = waiting;
  waiting = [];
  const results = calls.map(({ id }) => ({
    id,
    result: { content: [{ type: 'text', text }], structuredContent: { text } },
  }));
  commit({ calls, results });
  process.stdout.write(results.map((result) => `${JSON.stringify({ jsonrpc: '2.0', ...result })}\n`).join(''));
}

function commit(value: unknown): void {
  insert.run(JSON.stringify(value));
  fdatasyncSync(log);
}
