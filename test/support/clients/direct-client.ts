import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { clientCapabilities } from '../../../src/mcp-client/connection/answer-server-requests.ts';
import { serverEnvironment } from '../../../src/mcp-client/process/server-environment.ts';
import type { ServerDefinition } from '../../../src/servers/server-definition.ts';
import type { ToolClient } from '../../../src/tools/tool-client.ts';

export interface DirectClient {
  /** The tools exactly as on the wire, untouched by the SDK's schemas. */
  listRaw(): Promise<{ name: string }[]>;
  /** A result exactly as on the wire. */
  callRaw(name: string, input: object): Promise<Record<string, unknown>>;
  /** The usual SDK client. */
  call(name: string, input: object, onProgress?: (progress: object) => void): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** The SDK's client, with the capabilities of ours and the same answers to a server's questions. */
export async function connectDirectly(definition: ServerDefinition, answers: ToolClient): Promise<DirectClient> {
  const client = new Client({ name: 'direct', version: '1.0.0' }, { capabilities: clientCapabilities });
  const answer = async (reply: Promise<object>): Promise<never> => (await reply) as never;
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => answer(answers.sample(params as never)));
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(answers.elicit(params as never)));
  client.setRequestHandler(ListRootsRequestSchema, () => answer(answers.roots()));
  // Tools that depend on the client appear shortly after the handshake.
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {});
  await client.connect(transportOf(definition));
  return {
    listRaw: async () => {
      const raw = z.looseObject({ tools: z.array(z.custom<{ name: string }>()) });
      return (await client.request({ method: 'tools/list', params: {} }, raw)).tools;
    },
    callRaw: (name, input) =>
      client.request(
        { method: 'tools/call', params: { name, arguments: { ...input } } },
        z.record(z.string(), z.unknown()),
      ),
    call: (name, input, onprogress) =>
      client.callTool({ name, arguments: { ...input } }, undefined, onprogress ? { onprogress } : {}),
    close: () => client.close(),
  };
}

function transportOf(definition: ServerDefinition) {
  if (definition.transport === 'stdio') {
    const { command, args, env } = definition;
    return new StdioClientTransport({ command, args, env: serverEnvironment(process.env, env), stderr: 'ignore' });
  }
  const url = new URL(definition.url);
  return definition.transport === 'sse' ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url);
}
