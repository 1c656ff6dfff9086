import { join } from 'node:path';
import { serveTestHub, type TestHub, type TestHubOptions } from '../hubs/serve-test-hub.ts';
import {
  type ModelServerOptions,
  type RecordedModelRequest,
  startModelServer,
  type TestModelServer,
} from '../models/model-server.ts';

/** A tool definition as TsAgent's documentation shows it. */
export const bookFlight = {
  name: 'book_flight',
  description: 'Books a flight ticket for a user.',
  parameters: {
    type: 'object',
    properties: {
      destination: {
        type: 'string',
        description: "The destination city and country (e.g., 'Paris, France').",
      },
      departure_date: {
        type: 'string',
        description: 'The desired date of departure, in YYYY-MM-DD format.',
      },
    },
    required: ['destination', 'departure_date'],
  },
  prompt: 'The user wants to book a flight to {destination} on {departure_date}, please book accordingly',
} as const;

export const paris = { destination: 'Paris, France', departure_date: '2026-12-24' };
export const parisPrompt = 'The user wants to book a flight to Paris, France on 2026-12-24, please book accordingly';

/** An agent with this tool, as a script would store it. */
export const flightAgent = {
  id: 'flights',
  name: 'Flight desk',
  version: '2.3.1',
  description: 'Books flights, and nothing else.',
  mode: 'tools',
  systemPrompt: 'You book flights.',
  exposes: [bookFlight],
};

export interface FlightDesk extends TestHub {
  model: TestModelServer;
  /** The environment for another process that uses the same hub and model. */
  env: Record<string, string>;
  /** Stores `flightAgent` with changes over HTTP. */
  store(changes?: object): Promise<void>;
  /** The MCP address of an agent. */
  address(agentId?: string): string;
}

/** A hub whose agents answer by a script. */
export async function openFlightDesk(
  script: NonNullable<ModelServerOptions['script']>,
  options: TestHubOptions = {},
): Promise<FlightDesk> {
  const model = await startModelServer({ script });
  const env = { OPENAI_COMPATIBLE_BASE_URL: model.url };
  const toml = `[engine]\nmodel = "openai-compatible/scripted"\n${options.toml ?? ''}`;
  const hub = await serveTestHub({ anonymous: 'work', ...options, toml, env: { ...options.env, ...env } });
  return {
    ...hub,
    model,
    env: { ...env, AGENT_ZOO_HOME: hub.folder, ZOO_CONFIG: join(hub.folder, 'zoo.toml') },
    async store(changes = {}) {
      const agent = { ...flightAgent, ...changes };
      const { status, text } = await hub.call('POST', '/api/agents', { body: agent });
      if (status === 409) await replace(hub, agent);
      else if (status !== 201) throw new Error(`The agent was not stored: ${text}`);
    },
    address: (agentId = flightAgent.id) => `${hub.server.url}/agents/${agentId}/mcp`,
    async end() {
      await hub.end();
      await model.close();
    },
  };
}

async function replace(hub: TestHub, agent: { id: string }): Promise<void> {
  const { headers } = await hub.call('GET', `/api/agents/${agent.id}`);
  const call = { body: agent, headers: { 'if-match': headers.get('etag') ?? '' } };
  const { status, text } = await hub.call('PUT', `/api/agents/${agent.id}`, call);
  if (status !== 200) throw new Error(`The agent was not replaced: ${text}`);
}

/** Returns the last request to the model as text. */
export function questionOf({ body }: Pick<RecordedModelRequest, 'body'>): string {
  const last = body.messages.findLast(({ role }) => role === 'user');
  return typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content);
}

export function toolsOffered({ body }: Pick<RecordedModelRequest, 'body'>): string[] {
  return (body.tools ?? []).map((tool) => tool.function.name);
}
