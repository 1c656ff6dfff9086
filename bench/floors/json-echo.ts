import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';

/**
 * A bare JSON echo on Node's server: the least that a call over HTTP can cost. With a file, the least that one can cost which
 * is on the disk before and after: two bare commits come before the answer.
 */
const [file] = process.argv.slice(2);
const commit = file === undefined ? undefined : plainLog(file);

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    const { input } = JSON.parse(body);
    commit?.(body);
    commit?.(body);
    const text = JSON.stringify({ success: true, data: input, timestamp: new Date().toISOString() });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});

function plainLog(path: string): (text: string) => void {
  const database = new DatabaseSync(path);
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; create table if not exists log (id integer primary key, text text)',
  );
  const insert = database.prepare('insert into log (text) values (?)');
  return (text) => insert.run(text);
}
