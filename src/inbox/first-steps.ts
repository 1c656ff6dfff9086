import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { InboxParts } from './gather-inbox.ts';
import { type ConnectedClient, type FirstSteps, firstStepsId } from './inbox.ts';

export interface FirstStepParts {
  readonly agents: Pick<AgentRegistry, 'size'>;
  readonly models: {
    defaultModel(): Promise<{ model: string | null }>;
    providers(): Promise<readonly { name: string; seen: { state: 'never' | 'reached' | 'worked' | 'failed' } }[]>;
  };
  readonly store: Pick<InboxParts['store'], 'runs' | 'knowledge' | 'dismissals'>;
  readonly clients: {
    list(): Promise<Omit<ConnectedClient, 'clientId'>[]>;
    firstCallAt(): Promise<number | null>;
  };
}

/** Reads from what has happened in the hub how far it is set up. */
export async function gatherFirstSteps({ agents, models, store, clients }: FirstStepParts): Promise<FirstSteps> {
  const [model, connected, firstCallAt, states, dismissed] = await Promise.all([
    hasModel({ models, store }),
    clients.list(),
    clients.firstCallAt(),
    store.knowledge.sources.states(),
    store.dismissals.among([firstStepsId]),
  ]);
  return {
    isPutAway: dismissed.has(firstStepsId),
    model,
    agents: agents.size,
    clients: connected.map((client) => ({ ...client, clientId: clientIdOf(client.name) })),
    firstCallAt,
    knowledge: states.some(({ outcome }) => outcome === 'complete'),
  };
}

/** A model has answered: an agent, or the test that comes with choosing a default. */
async function hasModel({ models, store }: Pick<FirstStepParts, 'models' | 'store'>): Promise<boolean> {
  if (await store.runs.hasCompleted()) return true;
  const { model } = await models.defaultModel();
  if (model === null) return false;
  const name = model.slice(0, model.indexOf('/'));
  return (await models.providers()).some((provider) => provider.name === name && provider.seen.state === 'worked');
}

/** How clients call themselves, by their id in `GET /api/connect`. The first match counts. */
const clientNames: readonly [id: string, pattern: RegExp][] = [
  ['claude-code', /claude[ -_]?code/i],
  ['claude-desktop', /claude/i],
  ['cursor', /cursor/i],
  ['vscode', /visual studio code|vs[ -_]?code/i],
  ['codex', /codex/i],
  ['gemini-cli', /gemini/i],
  ['opencode', /open[ -_]?code/i],
  ['lm-studio', /lm[ -_]?studio/i],
  ['goose', /goose/i],
];

export function clientIdOf(name: string): string | null {
  return clientNames.find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}
