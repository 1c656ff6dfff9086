import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseJson } from '../base/json.ts';
import type { AgentZooOffer } from './agents.contract.ts';
import type { EditingParts } from './edit-agents.ts';
import { isAgentZooStore, readAgentZoo } from './read-agent-zoo.ts';
import { type ImportReport, importAgents, importLimits } from './transfer-agents.ts';

/** Remembers that the user does not want the agents of AgentZoo. */
export interface OfferStore {
  decline(at: number): Promise<void>;
  isDeclined(): Promise<boolean>;
}

/** Where AgentZoo keeps its agents: in the data folder, which it shares with the hub, or where `AGENT_ZOO_STORE_PATH` says. */
interface OfferPlace {
  dataDir: string;
  cwd: string;
  lookUp(name: string): string | undefined;
}

export interface OfferParts extends EditingParts {
  config: OfferPlace;
  store: { offers: OfferStore };
}

/** Returns the path of AgentZoo's file, if there is one. Cheap, because it does not open the file. */
function agentZooFile({ dataDir, cwd, lookUp }: OfferPlace): string | undefined {
  const named = lookUp('AGENT_ZOO_STORE_PATH');
  const files = [...(named ? [resolve(cwd, named)] : []), join(dataDir, 'agents.json')];
  return files.find((file) => existsSync(file));
}

/**
 * Finds agents of AgentZoo that this hub has never had, so that the user can be asked about them. Returns undefined if there are none,
 * the user declined, or the file is something else.
 */
export async function findOffer(parts: OfferParts): Promise<AgentZooOffer | undefined> {
  const found = await readOffered(parts);
  if (!found || (await parts.store.offers.isDeclined())) return undefined;
  const { file, agents } = found;
  return { file, agents: agents.map(({ id, name }) => ({ id, name })), brainEntries: sum(agents) };
}

/** Imports the offered agents. Returns undefined if there is nothing to import. */
export async function acceptOffer(parts: OfferParts): Promise<ImportReport | undefined> {
  const found = await readOffered(parts);
  return found && importAgents(parts, { agents: found.agents.map(({ given }) => given) });
}

/** The sentence for people at a terminal and for logs. */
export function offerText({ file, agents, brainEntries }: AgentZooOffer): string {
  const memory = brainEntries === 0 ? '' : ` and ${brainEntries} brain ${brainEntries === 1 ? 'entry' : 'entries'}`;
  const count = `${agents.length} ${agents.length === 1 ? 'agent' : 'agents'}`;
  return `${file} has ${count}${memory} from AgentZoo. Import: zoo agent import ${/^[\w./~-]+$/.test(file) ? file : `"${file}"`}`;
}

interface OfferedAgent {
  id: string;
  name: string;
  brainEntries: number;
  given: unknown;
}

async function readOffered(parts: OfferParts): Promise<{ file: string; agents: OfferedAgent[] } | undefined> {
  const file = agentZooFile(parts.config);
  const document = file === undefined ? undefined : await readStore(file);
  if (file === undefined || !isAgentZooStore(document)) return undefined;
  await parts.agents.refresh();
  const agents: OfferedAgent[] = [];
  for (const given of document.agents) {
    const { agent } = readAgentZoo(given);
    const { id, name, brain } = Object(agent);
    if (typeof id !== 'string' || (await isKnown(parts, id))) continue;
    agents.push({ id, name, brainEntries: brain.length, given });
  }
  return agents.length === 0 ? undefined : { file, agents };
}

/** An agent that was deleted here counts as known: the user has decided. */
async function isKnown({ agents, agentStore }: EditingParts, id: string): Promise<boolean> {
  return agents.find(id) !== undefined || (await agentStore.history(id, { limit: 1 })).length > 0;
}

/** Returns undefined for a file that cannot be read: "zoo agent import" explains why. */
async function readStore(file: string): Promise<unknown> {
  try {
    if ((await stat(file)).size > importLimits.maxCharacters) return undefined;
    return parseJson(await readFile(file, 'utf8'), importLimits);
  } catch {
    return undefined;
  }
}

function sum(agents: readonly OfferedAgent[]): number {
  return agents.reduce((total, { brainEntries }) => total + brainEntries, 0);
}
