import { proveBus } from './proof-bus.ts';
import { proveControls } from './proof-controls.ts';
import { proveDatabases } from './proof-databases.ts';
import { proveFaults } from './proof-faults.ts';
import { proveKnowledge } from './proof-knowledge.ts';
import { proveLog } from './proof-log.ts';
import { proveLua } from './proof-lua.ts';
import { proveProperties } from './proof-properties.ts';
import { proveReplicas } from './proof-replicas.ts';
import { proveServers } from './proof-servers.ts';
import { proveStore } from './proof-store.ts';
import { proveTeam } from './proof-team.ts';
import { proveToolsMode } from './proof-tools-mode.ts';
import { proveUpgrade } from './proof-upgrade.ts';
import { proveWeb } from './proof-web.ts';

/**
 * `npm run proof [-- NAME…]`: proves the guarantees that take long, with figures. Tests run a few rounds of `store`, `knowledge`,
 * `servers`, `team` and the faults of PostgreSQL.
 */
const proofs: Record<string, { promise: string; prove: () => Promise<boolean> }> = {
  store: { promise: 'nothing acknowledged is lost', prove: proveStore },
  faults: { promise: 'a fault of the database loses nothing, and is reported in time', prove: proveFaults },
  bus: { promise: 'every process hears of every change, whatever is between it and the database', prove: proveBus },
  log: {
    promise: 'a long log is verified, and its keys are made, in a minute without stopping anybody',
    prove: proveLog,
  },
  knowledge: {
    promise: 'a sync touches what changed, and a killed one leaves nothing behind',
    prove: proveKnowledge,
  },
  lua: { promise: 'a hostile script is stopped in time and disturbs nobody', prove: proveLua },
  servers: {
    promise: 'a bad server gets an error in time, disturbs no other, and leaves nothing behind',
    prove: proveServers,
  },
  team: { promise: 'a team does everything once, also when a process is killed', prove: proveTeam },
  replicas: {
    promise: 'several replicas behind a plain proxy lose nothing, double nothing and answer every client',
    prove: proveReplicas,
  },
  databases: { promise: 'what holds on SQLite holds on PostgreSQL', prove: proveDatabases },
  properties: { promise: 'what holds for generated cases holds for new ones', prove: proveProperties },
  'tools-mode': {
    promise: 'an agent answers many at once, each in a session of its own, and keeps none',
    prove: proveToolsMode,
  },
  upgrade: {
    promise: 'a hub of the last release and one of this version serve together, and nothing is lost',
    prove: proveUpgrade,
  },
  web: {
    promise: 'the app is ready in 1.5 s on a slow CPU and scrolls 10,000 rows at 60 frames per second',
    prove: proveWeb,
  },
  controls: { promise: 'every security control has a test that fails without it', prove: () => proveControls() },
};

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(proofs);
const unknown = chosen.find((name) => !Object.hasOwn(proofs, name));
if (unknown !== undefined) {
  process.stderr.write(`There is no proof "${unknown}". Available: ${Object.keys(proofs).join(', ')}.\n`);
  process.exit(1);
}

let failed = 0;
for (const name of chosen) {
  const proof = proofs[name];
  if (!proof) continue;
  const holds = await proof.prove();
  if (!holds) failed += 1;
  process.stdout.write(`${holds ? '✓' : '✗'} ${proof.promise}\n`);
}
process.exit(failed === 0 ? 0 : 1);
