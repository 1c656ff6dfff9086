import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { PromptListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

/** Where a client finds the server: an address, or a command to start. */
export type McpTarget =
  | { url: string; token?: string }
  | { command: string; args: string[]; env: Record<string, string> };

interface McpToolResult {
  content: { type: string; text?: string | undefined }[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
}

/** The client operations that journeys use. */
export interface McpTestClient {
  toolNames(): Promise<string[]>;
  call(name: string, args: Record<string, unknown>): Promise<McpToolResult>;
  promptNames(): Promise<string[]>;
  promptTexts(name: string, args?: Record<string, string>): Promise<string[]>;
  resourceUris(): Promise<string[]>;
  resourceText(uri: string): Promise<string>;
  close(): Promise<void>;
}

export interface ConnectedClient extends McpTestClient {
  version: string | undefined;
  /** Resolves with the next `prompts/list_changed`. */
  promptsChanged(): Promise<void>;
}

function bearer(token: string | undefined): { requestInit?: { headers: Record<string, string> } } {
  return token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } };
}

const identity = { name: 'journey', version: '1.0.0' };

/** `name` is what the client calls itself. */
export async function connectV1(target: McpTarget, name = identity.name): Promise<ConnectedClient> {
  const client = new ClientV1({ ...identity, name });
  const changed = new Signal();
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => changed.fire());
  const transport =
    'url' in target
      ? new HttpV1(new URL(target.url), bearer(target.token))
      : new StdioV1({ ...target, stderr: 'inherit' });
  await client.connect(transport);
  return {
    version: client.getServerVersion()?.version,
    promptsChanged: () => changed.next(),
    toolNames: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (name, args) => (await client.callTool({ name, arguments: args })) as McpToolResult,
    promptNames: async () => (await client.listPrompts()).prompts.map((prompt) => prompt.name),
    promptTexts: async (name, args = {}) => textsOf((await client.getPrompt({ name, arguments: args })).messages),
    resourceUris: async () => (await client.listResources()).resources.map((resource) => resource.uri),
    resourceText: async (uri) => textOf((await client.readResource({ uri })).contents),
    close: () => client.close(),
  };
}

/** `legacy` uses the revisions with sessions; a date uses only that revision. */
export async function connectV2(
  target: McpTarget,
  mode: 'legacy' | 'auto' | { pin: string },
): Promise<ConnectedClient & { protocol: string | undefined }> {
  const changed = new Signal();
  const client = new ClientV2(identity, {
    versionNegotiation: { mode },
    listChanged: { prompts: { onChanged: () => changed.fire(), debounceMs: 0 } },
  });
  await client.connect(
    'url' in target
      ? new HttpV2(new URL(target.url), bearer(target.token))
      : new StdioV2({ ...target, stderr: 'inherit' }),
  );
  return {
    version: client.getServerVersion()?.version,
    protocol: client.getNegotiatedProtocolVersion(),
    promptsChanged: () => changed.next(),
    toolNames: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (name, args) => (await client.callTool({ name, arguments: args })) as McpToolResult,
    promptNames: async () => (await client.listPrompts()).prompts.map((prompt) => prompt.name),
    promptTexts: async (name, args = {}) => textsOf((await client.getPrompt({ name, arguments: args })).messages),
    resourceUris: async () => (await client.listResources()).resources.map((resource) => resource.uri),
    resourceText: async (uri) => textOf((await client.readResource({ uri })).contents),
    close: () => client.close(),
  };
}

/** The Inspector's command line: one process for each request. */
export function inspector(target: McpTarget, home: string): McpTestClient {
  const server =
    'url' in target
      ? [target.url, ...(target.token === undefined ? [] : ['--header', `Authorization: Bearer ${target.token}`])]
      : [
          ...Object.entries(target.env).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
          target.command,
          ...target.args,
        ];
  const run = (method: string, ...args: string[]) =>
    runInspector(['--cli', ...server, '--format', 'json', '-q', '--method', method, ...args], home);
  return {
    toolNames: async () => (await run('tools/list')).tools.map((tool) => tool.name),
    call: (name, args) => run('tools/call', '--tool-name', name, ...pairs('--tool-arg', args)),
    promptNames: async () => (await run('prompts/list')).prompts.map((prompt) => prompt.name),
    promptTexts: async (name, args = {}) =>
      textsOf((await run('prompts/get', '--prompt-name', name, ...pairs('--prompt-args', args))).messages),
    resourceUris: async () => (await run('resources/list')).resources.map((resource) => resource.uri),
    resourceText: async (uri) => textOf((await run('resources/read', '--uri', uri)).contents),
    close: async () => {},
  };
}

interface InspectorResult extends McpToolResult {
  tools: { name: string }[];
  prompts: { name: string }[];
  messages: { content: unknown }[];
  resources: { uri: string }[];
  contents: object[];
}

async function runInspector(args: string[], home: string): Promise<InspectorResult> {
  const folder = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json'));
  const script = join(folder, 'clients', 'launcher', 'build', 'index.js');
  // A result with isError causes a special exit code; the result is printed anyway.
  const output = await new Promise<string>((resolve, reject) => {
    const options = { cwd: home, env: { ...process.env, HOME: home } };
    execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) =>
      stdout === '' ? reject(new Error(`The Inspector said nothing: ${stderr}`, { cause: error })) : resolve(stdout),
    );
  });
  return JSON.parse(output).result;
}

function pairs(option: string, values: Record<string, unknown>): string[] {
  const entries = Object.entries(values).map(([name, value]) => `${name}=${value}`);
  return entries.length === 0 ? [] : [option, ...entries];
}

function textsOf(messages: readonly { content: unknown }[]): string[] {
  return messages.map(({ content }) => textOf([content]));
}

function textOf(blocks: readonly unknown[]): string {
  const [block] = blocks;
  if (typeof block === 'object' && block !== null && 'text' in block) return String(block.text);
  throw new Error(`Expected text, got ${JSON.stringify(block)}`);
}

/** Remembers one event, so that nobody has to be waiting when it fires. */
class Signal {
  #waiting = Promise.withResolvers<void>();

  fire(): void {
    this.#waiting.resolve();
  }

  async next(): Promise<void> {
    await this.#waiting.promise;
    this.#waiting = Promise.withResolvers<void>();
  }
}
