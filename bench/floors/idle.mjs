// Node's own HTTP server that does nothing: the least memory that a server can have.
import { createServer } from 'node:http';

const server = createServer((_request, response) => response.end('{}'));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
