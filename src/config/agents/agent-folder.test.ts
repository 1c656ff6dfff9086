import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ScriptFolder, scriptFolder, untilSnapshot } from '../../../test/support/lua/script-folder.ts';
import { scriptSections } from '../script-sections.ts';
import { serverSections } from '../server-sections.ts';
import { type AgentFiles, agentFiles, readAgentFile } from './agent-files.ts';

const token = ['$', '{NOTES_TOKEN}'].join('');
const json = JSON.stringify({
  metadata: { name: 'Old Desk', created: 'x', lastAccessed: 'x' },
  settings: { maxChatTurns: '7', temperature: '0.5' },
  mcpServers: { notes: { type: 'stdio', command: 'node', args: ['notes.js'], env: { TOKEN: token } } },
});
const item = (fields: string, text: string) => `---\n${fields}---\n${text}\n`;

let folder: ScriptFolder;
const open: AgentFiles[] = [];
beforeEach(async () => {
  folder = await scriptFolder({
    'zoo.toml': '[agents.old]\npath = "desk"\n',
    'desk/tsagent.json': json,
    'desk/prompt.md': 'You run the desk.\n',
    'desk/rules/tone.mdt': item('name: tone\npriorityLevel: 0\ninclude: always\n', 'Be kind.\n---\nAlways.'),
    'desk/rules/late.mdt': item('description: When late\n', 'Say sorry.'),
    'desk/refs/bob.mdt': item('name: about-bob\ninclude: agent\n', 'Bob lifts.'),
    'desk/.env': 'NOTES_TOKEN=token-from-the-file\nGOOGLE_API_KEY="key-from-the-file"\n',
  });
});
afterEach(async () => {
  for (const files of open.splice(0)) await files.source.close?.();
  await folder[Symbol.asyncDispose]();
});

async function files(options: { watch?: boolean; learn?: (secrets: readonly string[]) => void } = {}) {
  const document = await folder.open(options);
  const made = agentFiles(scriptSections(document).files, serverSections(document), options.learn);
  open.push(made);
  return made;
}

describe('a folder as the path of an agent', () => {
  test('holds a JSON agent with its prompt, rules and references beside it', async () => {
    const { entries, problems } = await (await files()).source.snapshot();
    expect(problems).toEqual([]);
    expect(entries[0]?.definedIn).toBe('desk/tsagent.json');
    expect(entries[0]?.agent).toMatchObject({
      id: 'old',
      systemPrompt: 'You run the desk.\n',
      modelSettings: { maxChatTurns: 7, temperature: 0.5 },
      rules: [
        { name: 'late', description: 'When late', priority: 500, text: 'Say sorry.', include: 'manual' },
        { name: 'tone', description: '', priority: 0, text: 'Be kind.\n---\nAlways.', include: 'always' },
      ],
      references: [{ name: 'about-bob', text: 'Bob lifts.', include: 'agent' }],
    });
  });

  test('prefers tsagent.yaml, and says which file is missing', async () => {
    await folder.write('desk/tsagent.yaml', 'metadata: { name: New Desk }\nsystemPrompt: New.\n');
    expect((await readAgentFile('desk', { cwd: folder.dir })).agent).toMatchObject({
      name: 'New Desk',
      systemPrompt: 'New.',
      rules: [],
    });
    await folder.write('empty/readme.md', '');
    await expect(readAgentFile('empty', { cwd: folder.dir })).rejects.toThrow(
      'empty/tsagent.yaml cannot be read: there is no such file',
    );
  });

  test('reports a rule that cannot be read, and the agent works without it', async () => {
    await folder.write('desk/rules/loose.mdt', 'No fields.');
    await folder.write('desk/rules/odd.mdt', item('include: sometimes\n', 'x'));
    const { entries, problems } = await (await files()).source.snapshot();
    expect(entries[0]?.agent.rules.map(({ name }) => name)).toEqual(['late', 'tone']);
    expect(problems).toEqual([
      {
        agentId: 'old',
        place: 'desk/tsagent.json',
        message: 'rules/loose.mdt: was left out. loose.mdt: must begin with fields between two lines of "---".',
      },
      {
        agentId: 'old',
        place: 'desk/tsagent.json',
        message: expect.stringContaining('rules/odd.mdt: was left out. odd.mdt: include: '),
      },
    ]);
  });

  test('is followed: a new, changed or deleted neighbour changes the agent', async () => {
    const { source } = await files({ watch: true });
    await source.snapshot();
    const changed = untilSnapshot(source, ({ entries }) => entries[0]?.agent.systemPrompt === 'You are new.');
    await folder.write('desk/prompt.md', 'You are new.');
    await changed;
    const added = untilSnapshot(source, ({ entries }) => entries[0]?.agent.rules.length === 3);
    await folder.write('desk/rules/extra.mdt', item('', 'More.'));
    await added;
    const removed = untilSnapshot(source, ({ entries }) => entries[0]?.agent.rules.length === 2);
    await folder.remove('desk/rules/extra.mdt');
    await removed;
  });

  test('is read again without a watcher, too', async () => {
    const { source } = await files();
    await source.snapshot();
    await folder.write('desk/refs/new.mdt', item('', 'New.'));
    expect((await source.snapshot()).entries[0]?.agent.references).toHaveLength(2);
  });
});

describe('the .env beside an agent file', () => {
  test('belongs to the agent and its servers, and its secrets are registered', async () => {
    const learned: string[] = [];
    const made = await files({ learn: (secrets) => learned.push(...secrets) });
    const { entries } = await made.source.snapshot();
    const variables = { NOTES_TOKEN: 'token-from-the-file', GOOGLE_API_KEY: 'key-from-the-file' };
    expect(entries[0]).toMatchObject({ variables });
    const { servers } = await made.servers.current();
    expect(servers[0]).toMatchObject({ name: 'notes', variables, raw: { cwd: join(folder.dir, 'desk') } });
    expect(JSON.stringify(servers[0]?.raw)).not.toContain('token-from-the-file');
    expect(learned.toSorted()).toEqual(['key-from-the-file', 'token-from-the-file']);
  });
});
