import { proveDatabases } from './proof-databases.ts';
import { proveFaults } from './proof-faults.ts';
import { proveKnowledge } from './proof-knowledge.ts';
import { proveLog } from './proof-log.ts';
import { proveLua } from './proof-lua.ts';
import { proveProperties } from './proof-properties.ts';
import { proveServers } from './proof-servers.ts';
import { proveStore } from './proof-store.ts';
import { proveTeam } from './proof-team.ts';
import { proveToolsMode } from './proof-tools-mode.ts';

/** `npm run proof`: proves the guarantees that take long, with figures. Tests run each of them in a few rounds. */
const proofs: [promise: string, prove: () => Promise<boolean>][] = [
  ['nothing acknowledged is lost', proveStore],
  ['a fault of the database loses nothing, and is reported in time', proveFaults],
  ['a long log is verified, and its keys are made, in a minute without stopping anybody', proveLog],
  ['a sync touches what changed, and a killed one leaves nothing behind', proveKnowledge],
  ['a hostile script is stopped in time and disturbs nobody', proveLua],
  ['a bad server gets an error in time, disturbs no other, and leaves nothing behind', proveServers],
  ['a team does everything once, also when a process is killed', proveTeam],
  ['what holds on SQLite holds on PostgreSQL', proveDatabases],
  ['what holds for generated cases holds for new ones', proveProperties],
  ['an agent answers many at once, each in a session of its own, and keeps none', proveToolsMode],
];

let failed = 0;
for (const [promise, prove] of proofs) {
  const holds = await prove();
  if (!holds) failed += 1;
  process.stdout.write(`${holds ? '✓' : '✗'} ${promise}\n`);
}
process.exit(failed === 0 ? 0 : 1);
