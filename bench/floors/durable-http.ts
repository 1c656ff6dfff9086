import { hash } from 'node:crypto';
import { fdatasyncSync, openSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';

/**
 * A hand-written JSON-RPC echo that logs each call, with one durable commit for all calls of a turn: the least that a logged call
 * can cost on this disk.
 */
const [file = ''] = process.argv.slice(2);
const worthwhile = 64;
const database = new DatabaseSync(file);
database.exec(`pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = 1000;
  create table log (seq integer primary key, chain text, rows integer, hash text, entries text)`);
const insert = database.prepare('insert into log (chain, rows, hash, entries) values (?, ?, ?, ?)');
insert.run('chain', 0, '', '');
const wal = openSync(`${file}-wal`, 'r+');

let entries: string[] = [];
let replies: { response: ServerResponse; text: string }[] = [];
let last = '';

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    const message = JSON.parse(body);
    const input = JSON.stringify(message.params?.arguments ?? {});
    const text = JSON.stringify({
      jsonrpc: '2.0',
      id: message.id,
      result: { content: [{ type: 'text', text: input }] },
    });
    const now = Date.now();
    entries.push(`["${message.id}",0,${now},"mcp",null,null,null,"echo"]\n${input}\n`);
    entries.push(`["${message.id}",1,${now},"mcp",null,null,null,"echo"]\n${text}\n`);
    if (replies.push({ response, text }) === 1) setImmediate(commit, 0);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});

/** Waits while each turn brings more, as long as there are few. */
function commit(seen: number): void {
  if (replies.length > seen && replies.length < worthwhile) {
    setImmediate(commit, replies.length);
    return;
  }
  const text = entries.join('');
  last = hash('sha256', `${last}${text}`, 'base64url');
  insert.run('chain', entries.length, last, text);
  fdatasyncSync(wal);
  const ready = replies;
  entries = [];
  replies = [];
  for (const { response, text: reply } of ready) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(reply) });
    response.end(reply);
  }
}
