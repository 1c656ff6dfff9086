import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { fakeTerminal } from '../support/command/fake-terminal.ts';
import { runZoo, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';
import { startModelServer, type TestModelServer } from '../support/models/model-server.ts';

let folder: ZooFolder;
let model: TestModelServer;
const env = () => ({ OPENAI_COMPATIBLE_BASE_URL: model.url });

/** Each line is a message, or a command. */
const zoo = (args: string[], ...lines: string[]) =>
  runZoo(['chat', ...args], { cwd: folder.dir, env: env(), input: lines.map((line) => `${line}\n`).join('') });
/** What the model was asked last, without the system prompt. */
const messages = () =>
  model.requests
    .at(-1)
    ?.body.messages.slice(1)
    .map(({ role, content }) => [role, content]);
const system = () => String(model.requests.at(-1)?.body.messages[0]?.content);

beforeAll(async () => {
  folder = await zooFolder();
  model = await startModelServer();
  const toml = `[engine]
model = "openai-compatible/scripted"

[agents.guide]
name = "Guide"
system_prompt = "You know the way."

[agents.asking]
system_prompt = "You look things up."
tools = ["search"]
tool_permission = "always"

[agents.needy]
system_prompt = "You speak {language}."
arguments = [{ name = "language", description = "to speak", required = true }]
`;
  await writeFile(join(folder.dir, 'zoo.toml'), toml);
});
afterAll(async () => {
  await model.close();
  await folder[Symbol.asyncDispose]();
});

const lookUp = { toolCalls: [{ name: 'search', arguments: { query: 'tea' } }] };

describe('zoo chat in a pipe', () => {
  it('says when there is no chat yet', async () => {
    expect((await zoo(['--list'])).stdout).toContain('You have no chats yet.');
    const none = await zoo(['guide', '--continue']);
    expect(none).toMatchObject({
      code: 1,
      stderr: 'zoo: You have no chats with "guide" yet. Start one with "zoo chat guide".\n',
    });
  });

  it('answers line by line and continues the chat in another process', async () => {
    model.add({ text: ['To the ', 'left.'], usage: { input: 10, output: 2 } }, { text: 'Then right.' });
    const first = await zoo(['guide'], 'Where to?', '', 'And then?');
    expect(first).toMatchObject({ code: 0, stdout: 'To the left.\nThen right.\n' });
    expect(first.stderr).toMatch(/^12 tokens\n/);
    model.add({ text: 'Home.' });
    const second = await zoo(['guide', '--continue'], 'And at last?');
    expect(second).toMatchObject({ code: 0, stdout: 'Home.\n' });
    expect(messages()).toEqual([
      ['user', 'Where to?'],
      ['assistant', 'To the left.'],
      ['user', 'And then?'],
      ['assistant', 'Then right.'],
      ['user', 'And at last?'],
    ]);
    const { stdout } = await zoo(['--list', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([{ agentId: 'guide', title: 'Where to?', state: 'idle', model: null }]);
    expect((await zoo(['guide', '--list'])).stdout).toMatch(/chat_\w+ +idle +guide .* Where to\?/);
    expect((await zoo(['asking', '--list'])).stdout).toContain('You have no chats yet.');
  });

  it('a backslash continues a line, and two slashes start a message', async () => {
    model.add({ text: 'Yes.' });
    await zoo(['guide'], '//etc is\\', 'a folder?');
    expect(messages()?.at(-1)).toEqual(['user', '/etc is\na folder?']);
  });

  it('denies what needs approval, and approves it with --yes; calls are short lines with their time', async () => {
    model.add(lookUp, { text: 'I could not.' });
    const denied = await zoo(['asking'], 'Look up tea.');
    expect(denied).toMatchObject({ code: 0, stdout: 'I could not.\n' });
    expect(denied.stderr).toContain(
      'zoo: search needs approval and was denied, because there is no terminal to ask on.',
    );
    expect(denied.stderr).toMatch(/→ search \{"query":"tea"\}\n[\s\S]*✗ search \d+ms {2}This call to "search" was not/);
    model.add(lookUp, { text: 'Nothing there.' });
    const approved = await zoo(['asking', '--yes'], 'Look up tea.');
    expect(approved).toMatchObject({ code: 0, stdout: 'Nothing there.\n' });
    expect(approved.stderr).toMatch(/✓ search \d+ms/);
  });

  it('takes the arguments of the prompt and another model', async () => {
    model.add({ text: 'Bonjour.' });
    const { stdout } = await zoo(['needy', '--arg', 'language=French', '--model', 'openai-compatible/other'], 'Hi.');
    expect(stdout).toBe('Bonjour.\n');
    expect(system()).toContain('You speak French.');
    expect(model.requests.at(-1)?.body.model).toBe('other');
  });

  it('/agent takes the arguments of the next agent, and leaves those of the one before', async () => {
    model.add({ text: 'Hola.' }, { text: 'Left.' }, { text: 'Ciao.' });
    const { stdout, stderr, code } = await zoo(
      ['needy', '--arg', 'language=French'],
      '/agent needy "language',
      '/agent needy language="Old Spanish"',
      'Hi.',
      '/agent guide',
      'Where to?',
      '/agent needy',
      '/agent needy langauge=Polish',
      '/agent guide language=Polish',
      '/agent needy language=Italian',
      '/agent needy',
      'Bye.',
    );
    expect([code, stdout]).toEqual([0, 'Hola.\nLeft.\nCiao.\n']);
    const systems = model.requests.slice(-3).map(({ body }) => String(body.messages[0]?.content));
    expect(systems).toEqual([
      expect.stringContaining('You speak Old Spanish.'),
      expect.stringContaining('You know the way.'),
      expect.stringContaining('You speak Italian.'),
    ]);
    expect(stderr.split('\n').filter((line) => /^(zoo|Agent)/.test(line))).toEqual([
      'zoo: ""language" is not KEY=VALUE. Put values with spaces in double quotes.',
      'Agent: needy',
      'Agent: guide',
      'zoo: Agent "needy" needs more: /agent needy language=VALUE',
      'zoo: Agent "needy" needs more: /agent needy language=VALUE',
      'zoo: Agent "guide" has no argument "language"; it takes none.',
      'Agent: needy',
      'Agent: needy',
    ]);
  });

  it('has commands', async () => {
    model.add({ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }, { text: 'Four.' });
    const out = join(folder.dir, 'talk.md');
    const { code, stdout, stderr } = await zoo(
      ['guide'],
      '/model',
      'Count.',
      '/retry',
      '/edit Count on.',
      '/model openai-compatible/other',
      '/agent asking',
      'More.',
      '/export talk.md',
      '/export talk.json',
      '/export talk.md',
      '/context',
      '/modle',
      '/agent nobody',
      '/help',
      '/exit',
      'never sent',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^One\.\nTwo\.\nThree\.\nFour\.\nSystem prompt\n[\s\S]* {2}You look things up\.\n\nTools\n +search \(asks first\)/,
    );
    expect(stderr).toContain('Model: openai-compatible/scripted (set by [engine] in the config)\n');
    expect(stderr).toContain('Model: openai-compatible/other\n');
    expect(stderr).toContain('Agent: asking\n');
    expect(stderr).toContain(`Saved: ${out}\n`);
    expect(stderr).toContain(`${out} already exists. Choose another name.`);
    expect(stderr).toContain('Unknown command /modle. Did you mean /model?');
    expect(stderr).toMatch(/nobody/);
    expect(stderr).toContain('/export FILE');
    expect(messages()).toEqual([
      ['user', 'Count on.'],
      ['assistant', 'Three.'],
      ['user', 'More.'],
    ]);
    const markdown = await readFile(out, 'utf8');
    expect(markdown).toContain('Four.');
    expect(markdown).not.toContain('Two.');
    const json = JSON.parse(await readFile(join(folder.dir, 'talk.json'), 'utf8'));
    expect(json).toMatchObject({ format: 'agent-zoo/chat', turns: [{ text: 'Count on.' }, { text: 'More.' }] });
  });

  it('/model names the model that answers, and suggests one if there is none', async () => {
    await using other = await zooFolder();
    const toml = '[agents.own]\nmodel = "openai-compatible/owned"\n\n[agents.bare]\nsystem_prompt = "You wait."\n';
    await writeFile(join(other.dir, 'zoo.toml'), toml);
    const lines = ['/model', '/agent own', '/model', '/model openai-compatible/other', '/model default'];
    const input = lines.map((line) => `${line}\n`).join('');
    const { code, stderr } = await runZoo(['chat', 'bare'], { cwd: other.dir, env: env(), input });
    expect([code, stderr.trimEnd().split('\n')]).toEqual([
      0,
      [
        'No model: agent "bare" names none, and there is no default model. ' +
          'Choose one for this chat with /model PROVIDER/MODEL, such as openai/gpt-5 or ollama/llama3.2. ' +
          '"zoo provider list" lists the providers.',
        'Agent: own',
        'Model: openai-compatible/owned (set by agent "own")',
        'Model: openai-compatible/other',
        'Model: openai-compatible/owned (set by agent "own")',
      ],
    ]);
  });

  it('a failed answer is reported and the chat continues; if the last answer fails, so does the command', async () => {
    const failing = { status: 400, body: { error: { message: 'no such luck' } } };
    model.add(failing, { text: 'Well.' });
    const recovered = await zoo(['guide'], 'One?', 'Two?');
    expect(recovered).toMatchObject({ code: 0, stdout: 'Well.\n' });
    expect(recovered.stderr).toContain('no such luck');
    model.add(failing);
    expect(await zoo(['guide'], 'One?')).toMatchObject({ code: 1, stdout: '' });
  });

  it('an empty answer is reported; if the last answer is empty, the command fails', async () => {
    model.add({ text: '' }, { text: 'Well.' });
    const recovered = await zoo(['guide'], 'One?', 'Two?');
    expect(recovered).toMatchObject({ code: 0, stdout: 'Well.\n' });
    expect(recovered.stderr).toContain('The model returned an empty answer. Type /retry to ask again.\n');
    model.add({ text: ' \n' });
    const empty = await zoo(['asking', '--yes'], 'One?');
    expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('The model returned an empty answer')]);
    model.add(lookUp, { text: '' });
    const acted = await zoo(['asking', '--yes'], 'One?');
    expect([acted.code, acted.stderr]).toEqual([0, expect.not.stringContaining('The model returned an empty answer')]);
  });

  it.each([
    [['nobdy'], 1, 'There is no agent "nobdy".'],
    [[], 2, 'Name an agent: zoo chat AGENT.'],
    [['--chat', 'chat_nothing'], 1, 'chat_nothing'],
    [['asking', '--model', 'nonsense'], 1, 'provider/model'],
    [['guide', '--continue', '--chat', 'chat_nothing'], 2, 'Use --continue or --chat, not both.'],
    [['guide', '--continue', '--arg', 'language=Polish'], 2, 'You can set --arg only for a new chat'],
    [['needy'], 1, 'needs the argument "language"'],
    [['needy', '--arg', 'langauge=Polish'], 2, 'Agent "needy" has no argument "langauge"; it takes language.'],
    [['guide', '--arg', 'x=y'], 2, 'Agent "guide" has no argument "x"; it takes none.'],
  ])('%j gets a one-line error', async (args, code, sentence) => {
    const result = await zoo(args, 'Hello.');
    expect(result.stderr).toContain(sentence);
    expect(result.code).toBe(code);
  });

  it('refuses an agent that a chat is not with', async () => {
    const [{ id }] = JSON.parse((await zoo(['guide', '--list', '--json'])).stdout);
    expect((await zoo(['asking', '--chat', id])).stderr).toContain('That chat is with "guide".');
  });

  it('an interrupt stops the answer, and the chat goes on', async () => {
    const before = model.requests.length;
    model.add({ text: ['Far ', 'away'], hangAfter: 2 }, { text: 'Near.' });
    await using chat = startZoo(['chat', 'guide'], { cwd: folder.dir, env: env() });
    chat.process.stdin?.write('Where?\n');
    await chat.says(/Far /);
    chat.process.kill('SIGINT');
    await chat.says(/stopped/);
    expect(await model.requests[before]?.outcome).toBe('gone');
    chat.process.stdin?.end('Again?\n');
    expect(await chat.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Far .*\nNear\.\n$/s) });
  });

  it('the messages are still there after the process was killed during an answer', async () => {
    model.add({ text: ['Half ', 'of it'], hangAfter: 2 });
    await using chat = startZoo(['chat', 'guide'], { cwd: folder.dir, env: env() });
    chat.process.stdin?.write('Tell me all.\n');
    await chat.says(/Half /);
    chat.process.kill('SIGKILL');
    await chat.ended;
    model.add({ text: 'All of it.' });
    const next = await zoo(['guide', '--continue'], '/retry');
    expect(next).toMatchObject({ code: 0, stdout: 'All of it.\n' });
    expect(next.stderr).toContain('The last answer is incomplete (interrupted). Type /retry to ask again.');
    expect(messages()?.at(-1)).toEqual(['user', 'Tell me all.']);
  });
});

describe('zoo chat at a terminal', () => {
  /** A named config needs no trust. */
  const homeEnv = () => ({
    ...env(),
    AGENT_ZOO_HOME: join(folder.dir, 'home'),
    ZOO_CONFIG: join(folder.dir, 'zoo.toml'),
  });
  function open(...args: string[]) {
    const terminal = fakeTerminal({ cwd: folder.dir, env: homeEnv() });
    return { ...terminal, ended: runProgram(terminal.context, ['chat', ...args]) };
  }

  it('asks before a call: once, for the rest of the chat, or not at all', async () => {
    const terminal = open('asking');
    await terminal.shows(/Chat with asking\. Type \/help .*\n.*asking> $/s);
    for (const [key, mark] of [
      ['n', '✗'],
      ['y', '✓'],
      ['maybe\rc', '✓'],
    ]) {
      model.add(lookUp, { text: 'So be it.' });
      terminal.press('Look up tea.\r');
      await terminal.shows(/Let the agent call search \{"query":"tea"\}\? \[yes\/no\/chat\/always\] $/);
      terminal.press(`${key}\r`);
      await terminal.shows(new RegExp(`${mark} search \\d+ms[\\s\\S]*So be it\\.[\\s\\S]*asking> $`));
    }
    model.add(lookUp, { text: 'Not asked.' });
    terminal.press('Look up tea.\r');
    expect(await terminal.shows(/Not asked\.[\s\S]*asking> $/)).not.toContain('Let the agent');
    terminal.press('\x04');
    await terminal.ended;
    const [chatId = ''] = /chat_\w+/.exec(await terminal.shows(/Continue with: zoo chat --chat chat_\w+/)) ?? [];

    // Another process knows the approval, lists it, and can revoke it.
    const next = open('--chat', chatId);
    await next.shows(/asking> $/);
    model.add(lookUp, { text: 'Still not asked.' });
    next.press('Look up tea.\r');
    expect(await next.shows(/Still not asked\.[\s\S]*asking> $/)).not.toContain('Let the agent');
    next.press('/approvals\r');
    await next.shows(/search {2}since 20\d\d-[\s\S]*asking> $/);
    next.press('/approvals revoke search\r');
    await next.shows(/The agent asks again before search\.[\s\S]*asking> $/);
    next.press('/approvals revoke search\r');
    await next.shows(/"search" is not approved for this chat\.[\s\S]*asking> $/);
    next.press('/approvals\r');
    await next.shows(/No tools are approved for this chat\.[\s\S]*asking> $/);
    model.add(lookUp, { text: 'Then not.' });
    next.press('Look up tea.\r');
    await next.shows(/\[yes\/no\/chat\/always\] $/);
    next.press('n\r');
    await next.shows(/Then not\.[\s\S]*asking> $/);
    next.press('\x04');
    await next.ended;
  });

  it('"always" also holds in the next chat, is listed with the agent, and can be revoked', async () => {
    const zooAgent = (...args: string[]) => runZoo(['agent', ...args], { cwd: folder.dir, env: homeEnv() });
    const first = open('asking');
    await first.shows(/asking> $/);
    model.add(lookUp, { text: 'So be it.' });
    first.press('Look up tea.\r');
    await first.shows(/\[yes\/no\/chat\/always\] $/);
    first.press('a\r');
    await first.shows(/So be it\.[\s\S]*asking> $/);
    first.press('\x04');
    await first.ended;

    const next = open('asking');
    await next.shows(/asking> $/);
    model.add(lookUp, { text: 'Not asked.' });
    next.press('Look up tea.\r');
    expect(await next.shows(/Not asked\.[\s\S]*asking> $/)).not.toContain('Let the agent');
    next.press('\x04');
    await next.ended;

    expect((await zooAgent('show', 'asking')).stdout).toContain('Always approved: search');
    expect((await zooAgent('revoke', 'asking', 'search')).stdout).toContain('asks again before it calls search');
    expect((await zooAgent('show', 'asking')).stdout).not.toContain('Always approved');
    expect((await zooAgent('revoke', 'asking', 'search')).stderr).toContain('no lasting approval for "search"');
  });

  it('shows a long input page by page, to its end, with every character visible', async () => {
    const terminal = open('asking');
    await terminal.shows(/asking> $/);
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
    const input = { query: 'tea\u202e', lines };
    model.add({ toolCalls: [{ name: 'search', arguments: input }] }, { text: 'Fine.' });
    terminal.press('Look up tea.\r');
    const more = /[\s\S]*% of the input shown; Enter shows more -- $/;
    let all = await terminal.shows(more);
    expect(all).toContain('"query": "tea\\u202e"');
    expect(all).not.toContain('"line 60"');
    for (const pattern of [more, /[\s\S]*Let the agent call search with this input\? \[yes\/no\/chat\/always\] $/]) {
      terminal.press('\r');
      all += await terminal.shows(pattern);
    }
    for (const line of lines) expect(all).toContain(`"${line}"`);
    terminal.press('no\r');
    await terminal.shows(/✗ search[\s\S]*Fine\.[\s\S]*asking> $/);
    terminal.press('/exit\r');
    await terminal.ended;
  });

  it('text typed before a question does not answer it', async () => {
    const terminal = open('asking');
    await terminal.shows(/asking> $/);
    const { promise: typed, resolve } = Promise.withResolvers<void>();
    model.add({ ...lookUp, beforePiece: () => typed }, { text: 'Fine.' });
    const before = model.requests.length;
    terminal.press('Look up tea.\r');
    await model.requested(before + 1);
    terminal.press('yes\r');
    await terminal.shows(/yes/);
    resolve();
    await terminal.shows(/Let the agent call search .*\[yes\/no\/chat\/always\] $/);
    terminal.press('no\r');
    await terminal.shows(/✗ search[\s\S]*Fine\.[\s\S]*asking> $/);
    terminal.press('/exit\r');
    await terminal.ended;
  });

  it('/agent asks for the arguments that the next agent needs', async () => {
    const terminal = open('guide');
    await terminal.shows(/guide> $/);
    terminal.press('/agent needy\r');
    await terminal.shows(/language \(to speak\): $/);
    terminal.press('\r');
    await terminal.shows(/language \(to speak\): $/);
    terminal.press('High German\r');
    await terminal.shows(/Agent: needy[\s\S]*needy> $/);
    model.add({ text: 'Guten Tag.' });
    terminal.press('Hello.\r');
    await terminal.shows(/Guten Tag\.[\s\S]*needy> $/);
    expect(system()).toContain('You speak High German.');
    terminal.press('/agent guide\r');
    await terminal.shows(/guide> $/);
    terminal.press('/agent needy\r');
    await terminal.shows(/language \(to speak\): $/);
    terminal.press('\x04');
    await terminal.ended;
  });

  it('Ctrl-C stops the answer, also at a question, and ends the chat at the prompt', async () => {
    const terminal = open('asking');
    await terminal.shows(/asking> $/);
    model.add(lookUp);
    terminal.press('Look up tea.\r');
    await terminal.shows(/\[yes\/no\/chat\/always\] $/);
    terminal.press('\x03');
    await terminal.shows(/stopped[\s\S]*asking> $/);
    terminal.press('\x03');
    await terminal.ended;
  });

  it('shows where a chat left off, lets you edit the last message, and passes on no escape sequence of the model', async () => {
    model.add({ text: 'Red \u001b[31malert\u0007.' });
    const first = open('guide');
    await first.shows(/guide> $/);
    first.press('What is it?\r');
    await first.shows(/Red \ufffd\[31malert\ufffd\.[\s\S]*guide> $/);
    first.press('\x04');
    await first.ended;
    const second = open('guide', '--continue');
    await second.shows(/> What is it\?\nRed \ufffd\[31malert\ufffd\.\n[\s\S]*guide> $/);
    model.add({ text: 'Tea.' });
    second.press('/edit\r');
    await second.shows(/What is it\?$/);
    second.press(' Tell me.\r');
    await second.shows(/Tea\.[\s\S]*guide> $/);
    expect(messages()?.at(-1)).toEqual(['user', 'What is it? Tell me.']);
    second.press('/exit\r');
    await second.ended;
  });
});
