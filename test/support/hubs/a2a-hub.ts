import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Role, type SendMessageRequest, type StreamResponse, type Task } from '@a2a-js/sdk';
import { type Client, ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { LegacyJsonRpcTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { Agent } from '../../../src/agents/agent.ts';
import type { AgentEntry } from '../../../src/agents/agent-source.ts';
import { defineTool, type Tool } from '../../../src/tools/tool.ts';
import { type ModelServerOptions, startModelServer, type TestModelServer } from '../models/model-server.ts';
import { serveTestHub, type TestHub, type TestHubOptions } from './serve-test-hub.ts';

/** A hub with autonomous agents and a scripted model. It can be closed and reopened on its database. */
export interface PeerHub {
  readonly hub: TestHub;
  readonly model: TestModelServer;
  /** Calls of the tool `pay`, which needs approval. */
  readonly paid: unknown[];
  url(agentId: string): string;
  restart(): Promise<void>;
  end(): Promise<void>;
}

export function autonomousAgent(id: string, changes: object = {}): AgentEntry {
  const agent = Agent.parse({
    id,
    name: `The ${id}`,
    description: `Works as ${id}.`,
    mode: 'autonomous',
    source: 'code',
    ...changes,
  });
  return { agent, definedIn: 'code' };
}

export async function openPeerHub(
  script: NonNullable<ModelServerOptions['script']>,
  options: TestHubOptions = {},
): Promise<PeerHub> {
  const folder = await mkdtemp(join(tmpdir(), 'zoo-a2a-'));
  const model = await startModelServer({ script });
  const paid: unknown[] = [];
  const pay: Tool = defineTool({
    name: 'pay',
    description: 'Pays.',
    requiresApproval: true,
    input: { jsonSchema: { type: 'object' } },
    run: (input) => {
      paid.push(input);
      return { paid: true };
    },
  });
  const open = () =>
    serveTestHub({
      anonymous: 'work',
      ...options,
      // Other agents call without a key.
      toml: `[server]\nanonymous = "work"\n[engine]\nmodel = "openai-compatible/scripted"\n${options.toml ?? ''}`,
      env: { ...options.env, OPENAI_COMPATIBLE_BASE_URL: model.url },
      tools: [pay, ...(options.tools ?? [])],
      db: options.db ?? { path: join(folder, 'zoo.sqlite') },
    });
  let hub = await open();
  return {
    get hub() {
      return hub;
    },
    model,
    paid,
    url: (agentId) => `${hub.server.url}/agents/${agentId}`,
    async restart() {
      await hub.end();
      hub = await open();
    },
    async end() {
      await hub.end();
      await model.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Connects the official client through the agent's card. */
export function connect(url: string): Promise<Client> {
  const options = { legacyCompat: { enabled: true } };
  return new ClientFactory({
    transports: [new JsonRpcTransportFactory(options)],
    cardResolver: new DefaultAgentCardResolver(options),
  }).createFromUrl(`${url}/.well-known/agent-card.json`, '');
}

/** Connects a client that speaks 0.3 and reads only the card fields of 0.3. */
export async function connectLegacy(url: string): Promise<LegacyJsonRpcTransport> {
  const card = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as Record<string, string>;
  if (card.protocolVersion !== '0.3.0' || card.preferredTransport !== 'JSONRPC')
    throw new Error('The card is not of 0.3.');
  return new LegacyJsonRpcTransport({ endpoint: card.url ?? '' });
}

type Content = NonNullable<NonNullable<SendMessageRequest['message']>['parts'][number]['content']>;

let messages = 0;
export function say(
  content: string | Content,
  place: { contextId?: string; taskId?: string; metadata?: Record<string, unknown>; immediately?: boolean } = {},
): SendMessageRequest {
  messages += 1;
  return {
    tenant: '',
    message: {
      messageId: `message-${messages}`,
      contextId: place.contextId ?? '',
      taskId: place.taskId ?? '',
      role: Role.ROLE_USER,
      parts: [
        {
          content: typeof content === 'string' ? { $case: 'text', value: content } : content,
          metadata: undefined,
          filename: '',
          mediaType: '',
        },
      ],
      metadata: place.metadata,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: place.immediately ?? false,
    },
    metadata: undefined,
  };
}

export function asTask(result: object): Task {
  if (!('artifacts' in result)) throw new Error('The agent answered with a message, not with a task.');
  return result as Task;
}

/** Returns the text of the answer. */
export function textOf({ artifacts }: Pick<Task, 'artifacts'>): string {
  return artifacts.flatMap(({ parts }) => parts.map(({ content }) => content?.value)).join('');
}

/** Returns the text that a caller gets by combining the events of a stream as the protocol requires. */
export function addUp(events: readonly StreamResponse[]): string {
  let text = '';
  for (const { payload } of events) {
    if (payload?.$case === 'task') text = textOf(payload.value);
    if (payload?.$case !== 'artifactUpdate' || !payload.value.artifact) continue;
    const piece = textOf({ artifacts: [payload.value.artifact] });
    text = payload.value.append ? text + piece : piece;
  }
  return text;
}

export async function collect(stream: AsyncIterable<StreamResponse>): Promise<StreamResponse[]> {
  const events: StreamResponse[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
