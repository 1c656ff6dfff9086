import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ScriptFolder, scriptFolder, untilSnapshot } from '../../../test/support/lua/script-folder.ts';
import type { Agent } from '../../agents/agent.ts';
import { readServerEntry } from '../../servers/import/read-server-entry.ts';
import { scriptSections } from '../script-sections.ts';
import { serverSections } from '../server-sections.ts';
import { type AgentFiles, agentFiles, readAgentFile, withServers } from './agent-files.ts';

const yaml = `# A travel agent
metadata:
  name: Travel Desk
  version: 1.10
  description: |
    Books
    flights.
  created: 2025-04-07T17:32:29.081Z
  iconUrl: https://travel.example/icon.png
  documentationUrl: https://travel.example/docs
  provider: { organization: Travel Inc, url: 'https://travel.example' }
  mode: tools
  skills:
    - id: booking
      name: Booking
      description: Books flights
      tags: [travel, flights]
      examples: ["Book me to Rome"]
  tools:
    - name: book_flight
      description: Books a flight ticket for a user.
      parameters:
        type: object
        properties:
          destination: { type: string }
          stops: { type: array, items: { type: object, properties: { city: { type: string } } } }
        required: [destination]
      prompt: "Book a flight to {destination}, first stop {stops.0.city}"
settings:
  model: gemini:gemini-2.5-flash
  temperature: "0.5"
  topP: 0.05
  maxOutputTokens: 4000
  maxChatTurns: 20
  theme: light
  toolPermission: never
systemPrompt: You are a travel agent.
rules:
  - { name: late, priorityLevel: 900, text: Be late., include: always }
  - { name: early, priorityLevel: 10, text: Be early., include: always }
  - { name: Refunds, description: About refunds, text: Refund at once., include: agent, embeddings: [[0.1, 0.2]] }
  - { name: Cheap, text: Be cheap., include: manual }
references:
  - { name: Airports, text: FRA is Frankfurt., include: always }
  - { name: Hotels, text: The Ritz. }
providers:
  gemini: { GOOGLE_API_KEY: secret }
mcpServers:
  files:
    type: stdio
    command: node
    args: [server.js]
    env: { TOKEN: "\${TOKEN}" }
    serverToolDefaults: { permissionRequired: false, include: agent }
    tools: { write_file: { permissionRequired: true }, read_file: { include: manual } }
  weather: { type: streamable, url: "http://127.0.0.1:9/mcp", serverToolDefaults: { permissionRequired: true } }
  rules: { type: internal, tool: rules }
`;

let folder: ScriptFolder;
const open: AgentFiles[] = [];
beforeEach(async () => {
  folder = await scriptFolder({
    'zoo.toml': '[agents.file.travel]\npath = "agents/travel.yaml"\n',
    'agents/travel.yaml': yaml,
  });
});
afterEach(async () => {
  for (const files of open.splice(0)) await files.source.close?.();
  await folder[Symbol.asyncDispose]();
});

async function files(options: { watch?: boolean } = {}): Promise<AgentFiles> {
  const document = await folder.open(options);
  const made = agentFiles(scriptSections(document).files, serverSections(document));
  open.push(made);
  return made;
}

async function read(name: string, text: string): Promise<Agent> {
  await folder.write(name, text);
  return (await readAgentFile(name, { cwd: folder.dir })).agent;
}

describe('a TsAgent file', () => {
  test('is read as an agent in all its parts', async () => {
    const { entries, problems } = await (await files()).source.snapshot();
    expect(problems).toEqual([]);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ definedIn: 'agents/travel.yaml', updatedAt: expect.any(Number) });
    expect(entries[0]?.agent).toEqual({
      id: 'travel',
      name: 'Travel Desk',
      description: 'Books flights.',
      version: '1.10',
      mode: 'tools',
      systemPrompt: 'You are a travel agent.',
      skillCategories: [{ id: 'skills', name: 'Skills', color: expect.any(String) }],
      skills: [
        {
          id: 'booking',
          name: 'Booking',
          description: 'Books flights\n\nTags: travel, flights\n\nExamples:\n- Book me to Rome',
          categoryId: 'skills',
          enabled: true,
        },
      ],
      rules: [
        { name: 'late', description: '', priority: 900, text: 'Be late.', include: 'always' },
        { name: 'early', description: '', priority: 10, text: 'Be early.', include: 'always' },
        {
          name: 'Refunds',
          description: 'About refunds',
          priority: 500,
          text: 'Refund at once.',
          include: 'agent',
        },
        { name: 'Cheap', description: '', priority: 500, text: 'Be cheap.', include: 'manual' },
      ],
      references: [
        { name: 'Airports', description: '', priority: 500, text: 'FRA is Frankfurt.', include: 'always' },
        { name: 'Hotels', description: '', priority: 500, text: 'The Ritz.', include: 'manual' },
      ],
      tools: ['mcp__files__*', 'mcp__weather__*'],
      arguments: [],
      exposes: [
        {
          name: 'book_flight',
          description: 'Books a flight ticket for a user.',
          parameters: {
            type: 'object',
            properties: {
              destination: { type: 'string' },
              stops: { type: 'array', items: { type: 'object', properties: { city: { type: 'string' } } } },
            },
            required: ['destination'],
          },
          prompt: 'Book a flight to {destination}, first stop {stops.0.city}',
        },
      ],
      shareContext: false,
      knowledge: [],
      contextRefs: [],
      contextBudget: 4_000,
      model: 'google/gemini-2.5-flash',
      modelSettings: { temperature: 0.5, topP: 0.05, maxOutputTokens: 4000, maxChatTurns: 20 },
      toolPermission: 'never',
      appearanceSeed: null,
      provider: { organization: 'Travel Inc', url: 'https://travel.example' },
      iconUrl: 'https://travel.example/icon.png',
      documentationUrl: 'https://travel.example/docs',
      tags: [],
      source: 'toml',
    });
  });

  test('defines servers, which run in its folder and keep their variables unresolved', async () => {
    const { servers, problems } = await (await files()).servers.current();
    expect(problems).toEqual([
      {
        place: 'agents/travel.yaml [mcpServers.rules]',
        message: expect.stringContaining('internal TsAgent servers (rules) are not supported'),
      },
    ]);
    expect(servers).toEqual([
      {
        name: 'files',
        definedIn: 'agents/travel.yaml [mcpServers.files]',
        file: 'agents/travel.yaml',
        raw: {
          type: 'stdio',
          command: 'node',
          args: ['server.js'],
          env: { TOKEN: expect.stringMatching(/^\$\{TOKEN\}$/) },
          cwd: join(folder.dir, 'agents'),
          approve: ['write_file'],
          exclude: ['read_file'],
        },
      },
      {
        name: 'weather',
        definedIn: 'agents/travel.yaml [mcpServers.weather]',
        file: 'agents/travel.yaml',
        raw: { type: 'streamable-http', url: 'http://127.0.0.1:9/mcp', approve: ['*'] },
      },
    ]);
  });

  test('shares no server with another file or the config: a name that is taken is prefixed with the agent', async () => {
    await folder.write('agents/again.yml', yaml);
    const config = '[agents.file.travel]\npath = "agents/travel.yaml"\n[agents.again]\npath = "agents/again.yml"\n';
    const taken = '[mcp_servers.again-files]\ncommand = "node"\n';
    await folder.write('zoo.toml', `${config}[mcp_servers.weather]\nurl = "http://127.0.0.1:8/mcp"\n${taken}`);
    const document = await folder.open();
    const made = agentFiles(scriptSections(document).files, serverSections(document));
    open.push(made);
    const joined = withServers(serverSections(document), made.servers);
    const { servers, problems } = await joined.current();
    expect(servers.map(({ name, definedIn }) => [name, definedIn])).toEqual([
      ['weather', 'zoo.toml [mcp_servers.weather]'],
      ['again-files', 'zoo.toml [mcp_servers.again-files]'],
      [expect.stringMatching(/^again-files_[0-9a-f]{8}$/), 'agents/again.yml [mcpServers.files]'],
      ['again-weather', 'agents/again.yml [mcpServers.weather]'],
      ['travel-files', 'agents/travel.yaml [mcpServers.files]'],
      ['travel-weather', 'agents/travel.yaml [mcpServers.weather]'],
    ]);
    expect(problems?.filter(({ message }) => !message.includes('internal'))).toEqual([]);
    expect(await joined.current()).toBe(await joined.current());
    const { entries } = await made.source.snapshot();
    expect(entries.map(({ agent }) => [agent.id, agent.tools])).toEqual([
      ['again', [expect.stringMatching(/^mcp__again-files_[0-9a-f]{8}__\*$/), 'mcp__again-weather__*']],
      ['travel', ['mcp__travel-files__*', 'mcp__travel-weather__*']],
    ]);
    expect((await made.source.snapshot()).entries).toBe(entries);
  });

  test('requires approval for every tool except those it lists, and includes no tool that a person must add', async () => {
    const rulesOf = async (server: string) => {
      await folder.write('a.yaml', `metadata: { name: A }\nmcpServers:\n  s: { command: node, ${server} }\n`);
      const { servers } = await readAgentFile('a.yaml', { cwd: folder.dir });
      const { approve, include, exclude } = (servers[0]?.raw ?? {}) as Record<string, unknown>;
      return { approve, include, exclude };
    };
    const table: [string, Record<string, unknown>][] = [
      ['args: []', { approve: ['*'] }],
      ['tools: { a: { permissionRequired: true } }', { approve: ['*'] }],
      ['tools: { a: { permissionRequired: false } }', { approve: ['*', '!a'] }],
      [
        'serverToolDefaults: { permissionRequired: true }, tools: { a: { permissionRequired: false } }',
        { approve: ['*', '!a'] },
      ],
      ['serverToolDefaults: { permissionRequired: false }', { approve: [] }],
      [
        'serverToolDefaults: { permissionRequired: false }, tools: { a: { permissionRequired: true } }',
        { approve: ['a'] },
      ],
      ['tools: { a: { include: manual }, b: { include: agent } }', { approve: ['*'], exclude: ['a'] }],
      ['serverToolDefaults: { include: manual }', { approve: ['*'], include: [] }],
      [
        'serverToolDefaults: { include: manual }, tools: { a: { include: agent }, b: {} }',
        { approve: ['*'], include: ['a'] },
      ],
      ['toolPermissionRequired: { serverDefault: true }', { approve: ['*'] }],
      ['toolPermissionRequired: { serverDefault: false, tools: { a: true } }', { approve: ['a'] }],
      [
        'toolPermissionRequired: { tools: { a: false } }, toolInclude: { serverDefault: manual, tools: { b: always } }',
        { approve: ['*', '!a'], include: ['b'] },
      ],
    ];
    for (const [server, expected] of table) expect(await rulesOf(server), server).toEqual(expected);
  });

  test.each([
    ['autoApprove', "['*']"],
    ['alwaysAllow', 'true'],
    ['trust', 'true'],
    ['trust', 'always'],
    ['approve', '[]'],
  ])('exempts no tool with the key "%s" of other clients (%s), and reports it', async (key, value) => {
    await folder.write('a.yaml', `metadata: { name: A }\nmcpServers:\n  s: { command: node, ${key}: ${value} }\n`);
    const { servers, problems } = await readAgentFile('a.yaml', { cwd: folder.dir });
    expect(readServerEntry(servers[0]?.raw)).toMatchObject({
      definition: { approve: ['*'], trust: 'first-use' },
      problems: [],
    });
    expect(problems).toEqual([
      {
        place: 'a.yaml [mcpServers.s]',
        message: expect.stringContaining(`a.yaml [mcpServers.s]: ${key} is not a TsAgent setting and was ignored`),
      },
    ]);
  });

  test.each([
    ["tools: { '*': { permissionRequired: false } }", 'mcpServers.s.tools'],
    ["tools: { '!a': { permissionRequired: false } }", 'mcpServers.s.tools'],
    ["serverToolDefaults: { include: manual }, tools: { 'read_*': { include: always } }", 'mcpServers.s.tools'],
    ["toolPermissionRequired: { tools: { '*': false } }", 'mcpServers.s.toolPermissionRequired.tools'],
    ["toolInclude: { serverDefault: manual, tools: { '*': always } }", 'mcpServers.s.toolInclude.tools'],
  ])('names one tool at a time: %s is refused', async (server, path) => {
    await folder.write('a.yaml', `metadata: { name: A }\nmcpServers:\n  s: { command: node, ${server} }\n`);
    const error = await readAgentFile('a.yaml', { cwd: folder.dir }).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'INVALID_CONFIG', details: { line: 3 } });
    expect(error.message).toContain(path);
    expect(error.message).toContain('must be the name of one tool');
  });

  test('cannot name all servers, and its command must be a string', async () => {
    await folder.write('a.yaml', "metadata: { name: A }\nmcpServers:\n  '*': { command: node }\n");
    await expect(readAgentFile('a.yaml', { cwd: folder.dir })).rejects.toThrow('must not contain "*"');
    const command = '{ path: node, autoApprove: true, approve: [] }';
    await folder.write('a.yaml', `metadata: { name: A }\nmcpServers:\n  s: { command: ${command} }\n`);
    await expect(readAgentFile('a.yaml', { cwd: folder.dir })).rejects.toThrow(
      'mcpServers.s.command: must be a string',
    );
  });

  test('that breaks keeps its last valid version and its servers', async () => {
    const { source, servers } = await files({ watch: true });
    await source.snapshot();
    const broken = untilSnapshot(source, ({ problems }) => problems.length > 0);
    await folder.write('agents/travel.yaml', yaml.replace('{destination}', '{destnation}'));
    const { entries, problems } = await broken;
    expect(entries[0]?.agent.exposes[0]?.prompt).toContain('{destination}');
    expect((await servers.current()).servers).toHaveLength(2);
    expect(problems).toEqual([
      {
        agentId: 'travel',
        place: 'agents/travel.yaml',
        message:
          'agents/travel.yaml:28: metadata.tools[0].prompt: {destnation} is not a parameter of the tool; did you mean {destination}? The last valid version stays in use.',
      },
    ]);
    const repaired = untilSnapshot(source, (now) => now.entries[0]?.agent.name === 'Desk' && now.problems.length === 0);
    await folder.write('agents/travel.yaml', yaml.replace('Travel Desk', 'Desk'));
    await repaired;
  });

  test.each<[string, string, Agent['mode']]>([
    ['mode: tools', 'mode: tools', 'tools'],
    ['mode: autonomous', 'mode: autonomous', 'autonomous'],
    ['mode: interactive', 'mode: interactive', 'interactive'],
    ['autonomous: true', 'autonomous: true', 'autonomous'],
    ['autonomous: false', 'autonomous: false', 'interactive'],
    ['the newer word wins', 'mode: interactive\n  autonomous: true', 'interactive'],
    ['tools and autonomous', 'autonomous: true\n  tools: [{ name: t, prompt: Hi }]', 'autonomous'],
    ['tools mode and autonomous', 'mode: tools\n  autonomous: true', 'autonomous'],
    ['tools and skills', 'skills: [{ name: S }]\n  tools: [{ name: t, prompt: Hi }]', 'autonomous'],
    ['skills alone', 'skills: []', 'autonomous'],
    ['tools alone', 'tools: [{ name: t, prompt: Hi }]', 'tools'],
    ['nothing', 'created: 2025-04-07', 'interactive'],
  ])('%s sets the mode', async (_name, line, mode) => {
    expect((await read('a.yaml', `metadata:\n  name: A\n  ${line}\n`)).mode).toBe(mode);
  });

  test.each([
    ['gemini:gemini-2.0-flash', 'google/gemini-2.0-flash'],
    ['claude:claude-sonnet-4', 'anthropic/claude-sonnet-4'],
    ['openai:gpt-5', 'openai/gpt-5'],
    ['OpenAI:gpt-5', 'openai/gpt-5'],
    ['GEMINI:gemini-2.5-flash', 'google/gemini-2.5-flash'],
    ['ollama:llama3.2:3b', 'ollama/llama3.2:3b'],
    ['docker:ai/qwen3', 'docker/ai/qwen3'],
    ['ollama/llama3.2:3b', 'ollama/llama3.2:3b'],
  ])('the model %s is %s', async (given, model) => {
    expect((await read('a.yaml', `metadata: { name: A }\nsettings: { model: "${given}" }\n`)).model).toBe(model);
  });

  test('may be JSON and takes its id from its name', async () => {
    const agent = await read(
      'flight.json',
      JSON.stringify({
        metadata: {
          name: 'My Tools Agent',
          tools: [
            {
              name: 'book_flight',
              description: 'Books.',
              parameters: { type: 'object', properties: { destination: { type: 'string' } } },
              prompt: 'To {destination}',
            },
          ],
        },
      }),
    );
    expect(agent).toMatchObject({
      id: 'my-tools-agent',
      mode: 'tools',
      version: '1.0.0',
      exposes: [{ name: 'book_flight' }],
    });
  });

  test('may use our own format', async () => {
    const agent = await read('own.yaml', 'name: Own\nmode: tools\nsystemPrompt: Hi\nskills: [{ id: a, name: A }]\n');
    expect(agent).toMatchObject({ id: 'own', name: 'Own', mode: 'tools', skills: [{ id: 'a', enabled: true }] });
  });
});

describe('a file is refused', () => {
  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x, x]',
    ...'bcdefghi'
      .split('')
      .map((each, index) => `${each}: &${each} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(', ')}]`),
  ].join('\n');
  test.each<[string, string, string, RegExp]>([
    ['that is no YAML', 'a.yaml', 'metadata:\n  name: "A\n', /^a\.yaml:\d: invalid YAML: /],
    [
      'with a key twice',
      'a.yaml',
      'metadata: { name: A }\nmetadata: { name: B }\n',
      /^a\.yaml:2: invalid YAML: Map keys must be unique/,
    ],
    [
      'with a tag that makes an object',
      'a.yaml',
      'metadata: !!js/function "x"\n',
      /^a\.yaml:1: invalid YAML: Unresolved tag/,
    ],
    ['with a custom tag', 'a.yaml', 'metadata:\n  name: !secret A\n', /^a\.yaml:2: .*Unresolved tag/],
    [
      'with binary data',
      'a.yaml',
      'metadata: { name: !!binary aGk= }\n',
      /contains a value that JSON does not support/,
    ],
    [
      'in the older YAML with binary data',
      'a.yaml',
      '%YAML 1.1\n---\nmetadata: { name: A, x: !!binary aGk= }\n',
      /invalid YAML: Unresolved tag/,
    ],
    ['that repeats itself without end', 'a.yaml', `metadata: { name: A }\n${bomb}\n`, /Excessive alias count/],
    ['that holds itself', 'a.yaml', 'metadata: &m { name: A, self: *m }\n', /^a\.yaml: /],
    ['that is nested too deep', 'a.yaml', `metadata: ${'['.repeat(100)}${']'.repeat(100)}\n`, /nested deeper than 64/],
    ['that is nested as deep as the stack', 'a.yaml', `metadata: ${'['.repeat(100_000)}`, /^a\.yaml/],
    [
      'with too many values',
      'a.yaml',
      `metadata: { name: A }\nx: [${'1,'.repeat(200_001)}]\n`,
      /contains more than 200000 values/,
    ],
    ['with a prototype', 'a.yaml', 'metadata: { name: A, __proto__: { a: 1 } }\n', /__proto__/],
    ['with two documents', 'a.yaml', 'metadata: { name: A }\n---\nmetadata: { name: B }\n', /invalid YAML/],
    ['without a name', 'a.yaml', 'metadata:\n  version: 1\n', /^a\.yaml:2: metadata\.name: is required/],
    ['without metadata', 'a.yaml', 'systemPrompt: Hi\n', /metadata: is required/],
    ['that is a list', 'a.yaml', '- a\n', /expected an agent/],
    ['that is empty', 'a.yaml', '', /expected an agent/],
    ['with an unknown mode', 'a.yaml', 'metadata:\n  name: A\n  mode: sleepy\n', /^a\.yaml:3: metadata\.mode: /],
    [
      'with a rule without text',
      'a.yaml',
      'metadata: { name: A }\nrules:\n  - name: r\n',
      /^a\.yaml:3: rules\[0\]\.text: is required/,
    ],
    [
      'with a tool of a wrong schema',
      'a.yaml',
      'metadata:\n  name: A\n  tools:\n    - name: t\n      prompt: Hi\n      parameters:\n        type: object\n        properties:\n          x: { type: date }\n',
      /^a\.yaml:9: metadata\.tools\[0\]\.parameters\.properties\.x\.type: must be string/,
    ],
    [
      'with supervisors',
      'a.yaml',
      'metadata: { name: A }\nsupervisors:\n  - { type: guardian, id: g, name: G }\n',
      /^a\.yaml:3: supervisors: .*must not run without them/,
    ],
    [
      'that says in two ways who is asked',
      'a.yaml',
      'metadata: { name: A }\nmcpServers:\n  s:\n    command: node\n    toolPermissionRequired: { serverDefault: true }\n    tools: { a: { permissionRequired: false } }\n',
      /^a\.yaml:5: mcpServers\.s\.toolPermissionRequired: is the older form of serverToolDefaults/,
    ],
    [
      'with a permission that is no yes or no',
      'a.yaml',
      'metadata: { name: A }\nmcpServers:\n  s: { command: node, tools: { a: { permissionRequired: "true" } } }\n',
      /^a\.yaml:3: mcpServers\.s\.tools\.a\.permissionRequired: /,
    ],
    ['that is no JSON', 'a.json', '{"metadata": }', /^a\.json: The text is not valid JSON/],
    ['that is JSON with a prototype', 'a.json', '{"metadata": {"name": "A", "__proto__": {}}}', /__proto__/],
    ['that is JSON nested too deep', 'a.json', '['.repeat(100), /nested deeper than 64/],
  ])('%s', async (_name, file, text, message) => {
    await expect(read(file, text)).rejects.toThrowError(message);
    await expect(read(file, text)).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });

  test('that is missing is reported for its section', async () => {
    await expect(readAgentFile('gone.yaml', { cwd: folder.dir })).rejects.toThrowError(
      'gone.yaml cannot be read: there is no such file',
    );
    await folder.remove('agents/travel.yaml');
    const { entries, problems } = await (await files()).source.snapshot();
    expect(entries).toEqual([]);
    expect(problems).toMatchObject([{ agentId: 'travel', place: 'agents/travel.yaml' }]);
  });

  test('with a reasonable number of anchors is accepted', async () => {
    const agent = await read('a.yaml', 'metadata: { name: &n Ann }\nsystemPrompt: *n\n');
    expect(agent.systemPrompt).toBe('Ann');
  });
});
