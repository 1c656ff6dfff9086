import { cpus } from 'node:os';
import { benchChat } from './chat.ts';
import { benchGateway } from './gateway.ts';
import { benchHub } from './hub.ts';
import { benchKnowledge } from './knowledge.ts';
import { printTable } from './measure.ts';
import { benchPackage } from './package.ts';
import { benchRetrieval } from './retrieval/bench-retrieval.ts';
import { benchTeam } from './team.ts';

/** `npm run bench [-- TOPIC…]`: one table per topic. For a quick run, set BENCH_ROUNDS, BENCH_PASSAGES or BENCH_FILES lower. */
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const passages = Number(process.env.BENCH_PASSAGES ?? 100_000);
const files = Number(process.env.BENCH_FILES ?? 10_000);

const topics: Record<string, () => Promise<void>> = {
  package: async () => printTable(await benchPackage(rounds)),
  hub: async () => printTable(await benchHub(rounds)),
  retrieval: benchRetrieval,
  gateway: async () => printTable(await benchGateway(rounds)),
  chat: async () => printTable(await benchChat(rounds)),
  team: async () => printTable(await benchTeam(rounds)),
  knowledge: async () => printTable(await benchKnowledge({ rounds, passages, files })),
};

const asked = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(topics);
const unknown = asked.find((topic) => !Object.hasOwn(topics, topic));
if (unknown !== undefined) {
  process.stderr.write(`There is no topic "${unknown}". There are: ${Object.keys(topics).join(', ')}.\n`);
  process.exit(1);
}

process.stdout.write(
  `${rounds} rounds each, interleaved, medians; ${cpus().length} cores, Node ${process.versions.node}\n`,
);
for (const topic of asked) {
  process.stdout.write(`\n${topic}\n`);
  const began = performance.now();
  await topics[topic]?.();
  process.stdout.write(`(${((performance.now() - began) / 1000).toFixed(0)} s)\n`);
}
