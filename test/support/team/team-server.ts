import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { openProofHub } from '../../../bench/proofs/team-proof-parts.ts';
import { serveHttp } from '../../../src/http/server/serve.ts';

/**
 * A served hub for proofs: `node team-server.ts FOLDER`. After the first line on stdin it opens the database, closes the calls
 * that a crash left open, and prints its port and the ids of those calls.
 */
const [folder = ''] = process.argv.slice(2);
await once(process.stdin, 'data');
const hub = await openProofHub(folder);
const { closedCalls } = await hub.team.health.recover();
const { port } = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
hub.startTeam();
writeSync(1, `${JSON.stringify({ port, closedCalls })}\n`);
// This process is killed rather than ended. The cache makes the next one start faster.
flushCompileCache();
