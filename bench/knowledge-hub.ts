import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Hub } from '../src/index.ts';
import { type Pauses, watchPauses } from '../test/support/time/watch-pauses.ts';
import { passageText, queryText } from './generated-text.ts';
import { median } from './measure.ts';

/** Runs as its own process: `node bench/knowledge-hub.ts FILES LIBRARY` prints the measurements of a hub as one line of JSON. */
export interface HubFigures {
  files: number;
  syncMs: number;
  pauses: Pauses;
  /** The duration of a prompt with one search, in milliseconds. */
  luaPrompt: number;
  /** The duration of the search alone. */
  search: number;
}

const warmUps = 100;
const samples = 400;

const agent = `agent = { description = "Primed by one search", tools = { "search" } }
agent.arguments = { { name = "topic", description = "What about", required = true } }

function agent.resolve(args, config, context)
  local passages = {}
  for _, found in ipairs(context.search({ query = args.topic, limit = 5 })) do
    passages[#passages + 1] = "## " .. found.title .. "\\n" .. found.snippet
  end
  return { system = "Answer from these passages.\\n" .. table.concat(passages, "\\n") }
end

return agent
`;

const config = `[db]
path = "zoo.sqlite"

[connectors.filesystem.files]
root = "files"

[agents.script.primed]
path = "primed.lua"
`;

async function measureHub(files: number, library: string): Promise<HubFigures> {
  // Built from this file.
  const { createHub, loadConfig } = (await import(pathToFileURL(library).href)) as typeof import('../src/index.ts');
  const folder = mkdtempSync(join(tmpdir(), 'agent-zoo-bench-hub-'));
  try {
    writeFiles(folder, files);
    const env = { AGENT_ZOO_HOME: join(folder, 'home') };
    const loaded = await loadConfig({ explicitFile: join(folder, 'zoo.toml'), cwd: folder, env, home: folder });
    // Like `zoo serve`: files are watched, not checked for every prompt.
    const hub = await createHub({ config: loaded, watch: true });
    try {
      const began = performance.now();
      const watched = watchPauses();
      const [report] = await hub.knowledge.sync({ target: 'all' });
      const pauses = watched.stop();
      const syncMs = performance.now() - began;
      if (report?.added !== files) throw new Error(`the sync added ${report?.added} of ${files} files`);
      return { files, syncMs, pauses, ...(await measurePrompts(hub)) };
    } finally {
      await hub.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every prompt has another question, so that no result is cached. */
async function measurePrompts(hub: Hub): Promise<Pick<HubFigures, 'luaPrompt' | 'search'>> {
  const { signal } = new AbortController();
  const prompts: number[] = [];
  const searches: number[] = [];
  for (let turn = 0; turn < warmUps + samples; turn += 1) {
    const topic = queryText(2 * turn);
    const began = performance.now();
    const { system } = await hub.agents.resolve('primed', { topic }, { signal });
    const prompted = performance.now();
    await hub.knowledge.search({ query: queryText(2 * turn + 1), limit: 5 });
    if (!system.includes('##')) throw new Error(`the prompt for "${topic}" holds no passage`);
    if (turn < warmUps) continue;
    prompts.push(prompted - began);
    searches.push(performance.now() - prompted);
  }
  return { luaPrompt: median(prompts), search: median(searches) };
}

function writeFiles(folder: string, files: number): void {
  for (let number = 0; number < files; number += 1) {
    const place = join(folder, 'files', `part-${number % 100}`);
    if (number < 100) mkdirSync(place, { recursive: true });
    const title = passageText(number + 10_000_000)
      .split(' ', 3)
      .join(' ');
    writeFileSync(join(place, `file-${number}.md`), `# ${title}\n\n${passageText(number)}\n`);
  }
  writeFileSync(join(folder, 'zoo.toml'), config);
  writeFileSync(join(folder, 'primed.lua'), agent);
}

if (import.meta.main) {
  const [files = '10000', library = join(import.meta.dirname, '..', 'src', 'index.ts')] = process.argv.slice(2);
  process.stdout.write(`${JSON.stringify(await measureHub(Number(files), library))}\n`);
}
