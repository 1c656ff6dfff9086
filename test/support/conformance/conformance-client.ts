import { HubError } from '../../../src/base/hub-error.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { connectServer } from '../../../src/mcp-client/connection/connect-server.ts';
import { memoryCredentials } from '../../../src/mcp-client/oauth/memory-credentials.ts';
import { signIn } from '../../../src/mcp-client/oauth/sign-in.ts';
import { type ServerAuth, ServerDefinition } from '../../../src/servers/server-definition.ts';
import type { RemoteTool, ServerConnection } from '../../../src/servers/supervise/server-connection.ts';
import { silentToolClient, type ToolClient } from '../../../src/tools/tool-client.ts';

/** The task that a suite passes to the client. */
export interface ConformanceTask {
  url: string;
  scenario: string;
  context: { client_id?: string; client_secret?: string; toolCalls?: { name: string; arguments: JsonObject }[] };
}

const name = 'conformance';
/** Nobody listens there: the browser of these tests only reads the redirect URL. */
const redirectUrl = 'http://127.0.0.1:9/oauth/callback';
/** The user gives up after this many sign-ins. */
const maxSignIns = 3;

/** The client under test: our own connection and sign-in, with `fetch` as the browser. */
export async function runConformanceClient(task: ConformanceTask): Promise<void> {
  const client = new SignedInClient(task);
  try {
    const tools = await client.use((connected) => connected.listTools());
    const calls =
      task.context.toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: argumentsFor(tool, tools) }));
    await Promise.all(
      calls.map((call) =>
        client.use((connected) => connected.callTool(call.name, call.arguments, { client: acceptsDefaults })),
      ),
    );
    if (task.scenario === 'http-standard-headers') await readEverything(client);
  } finally {
    await client.close();
  }
}

class SignedInClient {
  readonly #credentials = memoryCredentials();
  readonly #definition: ServerDefinition;
  #signIns = 0;
  #connecting: Promise<ServerConnection> | undefined;

  constructor(task: ConformanceTask) {
    this.#definition = ServerDefinition.parse({ transport: 'streamable-http', url: task.url, auth: authOf(task) });
  }

  /** Connects if necessary, and signs in if the server requires it. */
  async use<T>(work: (connected: ServerConnection) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        this.#connecting ??= this.#connect();
        return await work(await this.#connecting);
      } catch (error) {
        const isAsked = error instanceof HubError && error.code === 'SIGN_IN_REQUIRED';
        if (!isAsked || this.#signIns === maxSignIns) throw error;
        this.#signIns += 1;
        await this.close();
        await this.#signIn();
      }
    }
  }

  async close(): Promise<void> {
    const connecting = this.#connecting;
    this.#connecting = undefined;
    await (await connecting?.catch(() => undefined))?.close();
  }

  #connect(): Promise<ServerConnection> {
    return connectServer({
      name,
      definition: this.#definition,
      credentials: this.#credentials,
      redirectUrl,
      signal: AbortSignal.timeout(30_000),
      logger: silentLogger,
      onLog: () => {},
    });
  }

  async #signIn(): Promise<void> {
    const state = crypto.randomUUID();
    const common = { name, definition: this.#definition, credentials: this.#credentials, redirectUrl, state };
    const request = { ...common, signal: AbortSignal.timeout(30_000) };
    const address = await signIn.begin(request);
    if (!address) return;
    const answer = await fetch(address, { redirect: 'manual' });
    const { searchParams: query } = new URL(answer.headers.get('location') ?? '', address);
    if (query.get('state') !== state) throw new Error('The browser came back with another state.');
    await signIn.finish({ ...request, code: query.get('code') ?? '', issuer: query.get('iss') ?? undefined });
  }
}

function authOf({ scenario, context }: ConformanceTask): ServerAuth | null {
  if (!scenario.startsWith('auth/')) return null;
  const grant = scenario.startsWith('auth/client-credentials') ? 'client-credentials' : 'authorization-code';
  // The suite serves no document there; it only checks that the URL is sent as the client id.
  const document = 'https://conformance-test.local/client-metadata.json';
  const clientId = scenario === 'auth/basic-cimd' ? document : context.client_id;
  return { type: 'oauth', grant, clientId, clientSecret: context.client_secret };
}

/** Accepts every question, with the values that the server proposes. */
const acceptsDefaults: ToolClient = {
  ...silentToolClient,
  elicit: async ({ requestedSchema }) => ({
    action: 'accept',
    content: sampleOf((requestedSchema ?? { type: 'object' }) as JsonObject) as JsonObject,
  }),
};

function argumentsFor(tool: RemoteTool, tools: readonly RemoteTool[]): JsonObject {
  // The suite's echo tool expects the received schema of another tool.
  const focal = tools.find((each) => each.name === 'json_schema_2020_12_tool');
  const isEcho = tool.name === 'json_schema_echo' && focal !== undefined;
  return (isEcho ? { schema: focal.inputSchema } : sampleOf(tool.inputSchema as JsonObject)) as JsonObject;
}

/** Returns a value that matches a schema: its default, or the simplest value of its type. */
function sampleOf(schema: JsonObject): unknown {
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const { properties = {}, required = [] } = schema as { properties?: Record<string, JsonObject>; required?: string[] };
  switch (schema.type) {
    case 'object': {
      const wanted = Object.entries(properties).filter(([key, each]) => required.includes(key) || 'default' in each);
      return Object.fromEntries(wanted.map(([key, each]) => [key, sampleOf(each)]));
    }
    case 'number':
    case 'integer':
      return 7;
    case 'boolean':
      return true;
    case 'array':
      return [];
    default:
      return 'text';
  }
}

async function readEverything(client: SignedInClient): Promise<void> {
  const { resources } = await client.use((connected) => connected.request('resources/list', {}));
  const { prompts } = await client.use((connected) => connected.request('prompts/list', {}));
  for (const { uri } of resources as { uri: string }[]) {
    await client.use((connected) => connected.request('resources/read', { uri }));
  }
  for (const prompt of prompts as { name: string }[]) {
    await client.use((connected) => connected.request('prompts/get', { name: prompt.name, arguments: {} }));
  }
}
