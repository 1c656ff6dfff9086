import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SampleFolder, sampleFolder } from '../support/docs/run-aidk-sample.ts';
import {
  type EverythingServer,
  type RecordingProxy,
  recordHeaders,
  serveEverything,
} from '../support/servers/npm-servers.ts';

const scripts = resolve(import.meta.dirname, '../support/models/scripted-model.ts');
const filesystemTools = [
  'read_file',
  'read_text_file',
  'read_media_file',
  'read_multiple_files',
  'write_file',
  'edit_file',
  'create_directory',
  'list_directory',
  'list_directory_with_sizes',
  'directory_tree',
  'move_file',
  'search_files',
  'get_file_info',
  'list_allowed_directories',
];

let folder: SampleFolder;
let sse: EverythingServer;
let http: EverythingServer;
let proxy: RecordingProxy;

beforeAll(async () => {
  [folder, sse, http] = await Promise.all([sampleFolder(), serveEverything('sse'), serveEverything('streamableHttp')]);
  proxy = await recordHeaders(sse.url);
  await writeFile(join(folder.files, 'hello.txt'), 'Hello from the zoo');
  const configs = sample('1. Define MCP Server Configuration')
    .replace('https://mcp.example.com/sse', proxy.url)
    .replace('https://mcp.cloud.example.com', http.url);
  await folder.write(
    'configs.ts',
    `${configs}\nexport { apiMCPConfig, cloudMCPConfig, filesystemMCPConfig, MCPClient, MCPService };`,
  );
});

afterAll(async () => {
  await proxy.close();
  await Promise.all([sse.close(), http.close(), folder.remove()]);
});

function sample(heading: string): string {
  const code = folder.samples.get(heading);
  if (code === undefined) throw new Error(`There is no sample "${heading}"`);
  return code;
}

/** What the samples of "Control Over Tool Presentation" assume. */
const setUp = `
import { ContextObjectModel, MCPClient, MCPService, MCPTool, type MCPToolDefinition } from 'aidk';
import { filesystemMCPConfig } from './configs.ts';
const config = filesystemMCPConfig, mcpConfig = filesystemMCPConfig, serverName = filesystemMCPConfig.serverName;
const mcpClient = new MCPClient();
const mcpService = new MCPService(mcpClient);
const com = new ContextObjectModel();
`;

/** A model that reads the file and repeats its content. */
const model = `
import { call, finish, say, scriptedModel } from '${scripts}';
const myModel = scriptedModel([
  [call('1', 'read_text_file', { path: 'HELLO_TXT' }), finish('tool-calls')],
  (request) => {
    const result = request.messages.at(-1)?.content[0];
    const block = result?.type === 'tool_result' ? result.content[0] : undefined;
    return [say(block?.type === 'text' ? block.text : 'nothing'), finish()];
  },
]);
`;

async function runModule(name: string, code: string, flags?: string[]): Promise<unknown> {
  await folder.write(name, code.replaceAll('HELLO_TXT', join(folder.files, 'hello.txt')));
  return folder.run(name, flags);
}

describe('the AIDK samples run unchanged', () => {
  it('are all here', () => {
    expect(folder.samples.size).toBe(13);
  });

  it('1: the configs of three transports reach real servers, with their token', async () => {
    const found = await runModule(
      'sample-1.ts',
      `import { apiMCPConfig, cloudMCPConfig, filesystemMCPConfig, MCPClient, MCPService } from './configs.ts';
       const client = new MCPClient();
       const service = new MCPService(client);
       const names: Record<string, string[]> = {};
       for (const config of [filesystemMCPConfig, apiMCPConfig, cloudMCPConfig])
         names[config.serverName] = (await service.connectAndDiscover(config)).map(({ name }) => name);
       await client.close();
       console.log(JSON.stringify(names));`,
    );
    const everything = expect.arrayContaining(['echo', 'get-sum', 'get-tiny-image', 'get-structured-content']);
    expect(found).toEqual({ 'filesystem-mcp': filesystemTools, 'api-mcp': everything, 'cloud-mcp': everything });
    expect(proxy.headers.length).toBeGreaterThan(2);
    expect(proxy.headers.filter(({ authorization }) => authorization !== 'Bearer your-api-token')).toEqual([]);
  });

  it('2: a context has all tools of the server, and they run', async () => {
    const found = await runModule(
      'sample-2.ts',
      `import { ContextObjectModel } from 'aidk';
       import { filesystemMCPConfig } from './configs.ts';
       ${sample('2. Initialize MCP Service and Discover Tools')}
       const blocks = await com.getTool('read_text_file')?.run({ path: 'HELLO_TXT' });
       const shown = com.toInput().tools.map(({ name }) => name);
       await mcpClient.disconnect('filesystem-mcp');
       console.log(JSON.stringify({ shown, blocks, left: com.getTools().length, engine: typeof Engine }));`,
    );
    expect(found).toEqual({
      shown: filesystemTools,
      blocks: [{ type: 'text', text: 'Hello from the zoo' }],
      left: 0,
      engine: 'function',
    });
  });

  it('2, with server-memory instead', async () => {
    const code = sample('2. Initialize MCP Service and Discover Tools').replace('filesystemMCPConfig', 'memoryConfig');
    const found = await runModule(
      'sample-2-memory.ts',
      `import { ContextObjectModel, mergeMCPConfig } from 'aidk';
       import { filesystemMCPConfig } from './configs.ts';
       const memoryConfig = mergeMCPConfig(filesystemMCPConfig, {
         serverName: 'memory',
         connection: {
           args: ['-y', '@modelcontextprotocol/server-memory'],
           env: { MEMORY_FILE_PATH: ${JSON.stringify(join(folder.dir, 'memory.jsonl'))} },
         },
       });
       ${code}
       const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }];
       await com.getTool('create_entities')?.run({ entities });
       const graph = await com.getTool('read_graph')?.run({});
       await mcpClient.close();
       console.log(JSON.stringify(graph));`,
    );
    expect(JSON.stringify(found)).toContain('likes engines');
  });

  it('3, option A: a component registers the tools, and the model uses them', async () => {
    const found = await runModule(
      'sample-3a.ts',
      `import { type COM, Component, Engine, MCPClient, MCPService } from 'aidk';
       import { filesystemMCPConfig } from './configs.ts';
       ${model}
       ${sample('Option A Manual Registration (Programmatic)')}
       const { status, text, ticks } = await engine.execute('What is in the file?', new MyAgent());
       await engine.close();
       await mcpClient.close();
       console.log(JSON.stringify({ status, text, ticks, tools: myModel.requests[0]?.tools.length }));`,
    );
    expect(found).toEqual({ status: 'completed', text: 'Hello from the zoo', ticks: 2, tools: filesystemTools.length });
  });

  it('3, option B: the engine connects its servers when execution starts', async () => {
    const found = await runModule(
      'sample-3b.ts',
      `import { Engine } from 'aidk';
       ${model}
       ${sample('Option B EngineConfig (Automatic)')}
       const { status, text } = await engine.execute('What is in the file?');
       await engine.close();
       console.log(JSON.stringify({ status, text }));`,
    );
    expect(found).toEqual({ status: 'completed', text: 'Hello from the zoo' });
  });

  it.each([
    ['allowed_', []],
    ['read_', ['read_file', 'read_text_file', 'read_media_file', 'read_multiple_files']],
  ])('4: of the tools only those that begin with %s are registered', async (prefix, expected) => {
    const found = await runModule(
      `sample-4-${prefix}.ts`,
      `${setUp}
       ${sample('4. Tool Filtering (you can control this!)').replace('allowed_', prefix)}
       const names = com.getTools().map(({ metadata }) => metadata.name);
       await mcpClient.close();
       console.log(JSON.stringify(names));`,
    );
    expect(found).toEqual(expected);
  });

  it('5: a tool with another name and description is still called by its remote name', async () => {
    const found = await runModule(
      'sample-5.ts',
      `${setUp}
       ${sample('5. Tool Transformation (you can control this!)')}
       const tool = com.getTool('mcp_read_text_file');
       const blocks = await tool?.run({ path: 'HELLO_TXT' });
       const names = com.getTools().map(({ metadata }) => metadata.name);
       await mcpClient.close();
       console.log(JSON.stringify({ names, description: tool?.metadata.description, blocks }));`,
    );
    expect(found).toEqual({
      names: filesystemTools.map((name) => `mcp_${name}`),
      description: expect.stringMatching(/^\[MCP\] Read the complete contents of a file/),
      blocks: [{ type: 'text', text: 'Hello from the zoo' }],
    });
  });

  it('6: provider options are part of the definition that the model gets', async () => {
    const found = await runModule(
      'sample-6.ts',
      `${setUp}
       const [mcpToolDef] = await mcpService.connectAndDiscover(config) as [MCPToolDefinition];
       ${sample('6. Provider-Specific Options (you can control this!)')}
       const { tools } = com.toInput();
       await mcpClient.close();
       console.log(JSON.stringify(tools));`,
    );
    expect(found).toEqual([
      expect.objectContaining({
        name: 'read_file',
        providerOptions: { openai: { function: { strict: true } }, google: { grounding: false } },
      }),
    ]);
  });

  it('the transformer of the last section renames the tools, and the server receives its own names', async () => {
    const found = await runModule(
      'sample-transformers.ts',
      `${setUp}
       ${sample('Future Enhancement Tool Middleware/Transformers')}
       const blocks = await com.getTool('mcp_read_text_file')?.run({ path: 'HELLO_TXT' });
       const map = Object.fromEntries(mcpService.toolToServer);
       await mcpClient.close();
       console.log(JSON.stringify({ blocks, map, after: mcpService.toolToServer.size }));`,
      // The sample uses a parameter property, which Node cannot just strip.
      ['--experimental-transform-types'],
    );
    expect(found).toEqual({
      blocks: [{ type: 'text', text: 'Hello from the zoo' }],
      map: Object.fromEntries(filesystemTools.map((name) => [`mcp_${name}`, 'filesystem-mcp'])),
      after: 0,
    });
  });

  it('the best practices, each as the sample has it', async () => {
    const found = await runModule(
      'sample-practices.ts',
      `${setUp}
       const tools = await mcpService.connectAndDiscover(config);
       ${sample('Filter Tools Only register tools you need')}
       const [mcpToolDef] = safeTools as [MCPToolDefinition];
       const definition = { ...mcpToolDef, ${sample('Add Descriptions Enhance MCP tool descriptions with context')} };
       const options = { ${sample('Use Provider Options Configure tool behavior per provider')} };
       ${sample('Track Tool Sources Keep a map of tool → server for cleanup')}
       ${sample('Prefix Tool Names Avoid conflicts with native tools')}
       definition.name = 'mcp_filesystem_read_file';
       const tool = mcpService.registerMCPTool(config, definition, com);
       await mcpClient.close();
       console.log(JSON.stringify({
         safe: safeTools.map(({ name }) => name), description: tool.metadata.description, sent: tool.remoteName, options,
         map: [...toolToServer],
       }));`,
    );
    expect(found).toEqual({
      safe: filesystemTools.filter((name) => !name.includes('write')),
      description: expect.stringMatching(/^\[Filesystem MCP\] /),
      sent: 'read_file',
      options: { providerOptions: { openai: { function: { strict: true } } } },
      map: [['mcp_read_file', 'filesystem-mcp']],
    });
  });

  it('and the compiler accepts every one of them', async () => {
    expect(await folder.check()).toBe('');
  }, 240_000);
});
