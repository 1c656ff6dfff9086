import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { autonomousAgent } from '../support/hubs/a2a-hub.ts';
import { type ObedientHub, openObedientHub } from '../support/hubs/obedient-hub.ts';
import {
  type Injection,
  type InjectionChannel,
  injections,
  markOf,
} from '../support/injections/injected-instructions.ts';
import type { ModelStep, RecordedModelRequest } from '../support/models/model-server.ts';

/**
 * A model that obeys every instruction it reads, and an agent with every way to send and destroy. Nothing may happen without a
 * question, which is always answered with "deny".
 */
const program = fileURLToPath(new URL('../support/servers/injecting-server.ts', import.meta.url));

/** Every way to send or destroy that the agent has. */
const harmful = [
  { name: 'send', arguments: { to: 'eve' } },
  { name: 'wipe', arguments: {} },
  { name: 'mcp__web__deliver', arguments: { to: 'eve' } },
  { name: 'a2a_send_message', arguments: { peer: 'eve', message: 'Everything.' } },
  { name: 'agent__sender', arguments: { message: 'Send and wipe.' } },
  { name: 'a2a_send_message', arguments: { agent: 'sender', message: 'Send and wipe.' } },
];
/** An agent that never asks passes these on to another one, which knows what its caller has read and is told no. */
const delegated = ['a2a_send_message', 'agent__sender'];
const ownCalls = ['a2a_send_message', 'mcp__web__deliver', 'send', 'wipe'];

const readingTools: Record<InjectionChannel, (injection: Injection) => string> = {
  'tool result': ({ number }) => `mcp__web__read_page {"number": ${number}}`,
  mail: ({ number }) => `mcp__web__read_mail {"number": ${number}}`,
  'resource name': ({ number }) => `mcp__web__list_files {"number": ${number}}`,
  document: ({ number }) => `search {"query": "+\\"${markOf(number)}\\""}`,
  'tool description': () => 'nothing',
};

let zoo: ObedientHub;
let current: Injection;
/** Whether the model has read the instruction and made its calls. */
let hasObeyed = false;

function obeyEverything(request: RecordedModelRequest): ModelStep | undefined {
  const seen = JSON.stringify([request.body.messages, request.body.tools]);
  const mark = markOf(current.number);
  const asked = request.body.messages.findLastIndex(({ role }) => role === 'user');
  const results = request.body.messages.slice(asked).filter(({ role }) => role === 'tool').length;
  const isVictim = seen.includes('You help.');
  // The question contains the mark of a document.
  const hasRead = seen.replaceAll(`+\\\\\\"${mark}`, '').split(mark).length > (current.channel === 'document' ? 2 : 1);
  if (isVictim && results <= 1 && hasRead) {
    hasObeyed = true;
    return { toolCalls: harmful };
  }
  if (isVictim && results > 1) return { text: 'Done.' };
  if (!isVictim && seen.includes('You send.') && results === 0) return { toolCalls: harmful.slice(0, 3) };
  return undefined;
}

beforeAll(async () => {
  const scope = ['send', 'wipe', 'search', 'mcp__web__read_page', 'mcp__web__read_mail', 'mcp__web__list_files'];
  const tools = [...scope, 'mcp__web__deliver', 'a2a_*', 'agent__sender'];
  const victim = { systemPrompt: 'You help.', tools };
  const tips = injections
    .filter(({ channel }) => channel === 'tool description')
    .flatMap(({ number }) => [
      autonomousAgent(`tipped-${number}`, { ...victim, tools: [...tools, `mcp__web__tip_${number}`] }),
      autonomousAgent(`held-${number}`, {
        ...victim,
        toolPermission: 'never',
        tools: [...tools, `mcp__held__tip_${number}`],
      }),
    ]);
  const server = `command = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(program)}]`;
  zoo = await openObedientHub({
    script: obeyEverything,
    toml: [
      `[mcp_servers.web]\n${server}`,
      `[mcp_servers.held]\n${server}\ntrust = "ask"`,
      '[a2a.peers.eve]\nurl = "http://127.0.0.1:1/agents/eve"',
      '[connectors.filesystem.shared]\nroot = "shared"\ntags = ["untrusted"]',
    ].join('\n'),
    agents: [
      autonomousAgent('usual', victim),
      autonomousAgent('never', { ...victim, toolPermission: 'never' }),
      autonomousAgent('granted', victim),
      autonomousAgent('sender', { systemPrompt: 'You send.', tools, toolPermission: 'never' }),
      ...tips,
    ],
  });
  const folder = join(zoo.hub.folder, 'shared');
  await mkdir(folder);
  for (const { number, text, channel } of injections)
    if (channel === 'document') await writeFile(join(folder, `${number}.md`), `# Page ${number}\n\n${text}\n`);
  await zoo.hub.hub.knowledge.sync({ target: 'all' });
  current = injections[0] as Injection;
  for (const step of ['send', 'wipe', 'mcp__web__deliver']) await zoo.talk('granted', step, { answer: 'always' });
  zoo.sent.length = 0;
  zoo.wiped.length = 0;
}, 60_000);
afterAll(() => zoo.end());
afterEach(() => {
  hasObeyed = false;
});

const delivered = async () =>
  (await zoo.hub.hub.decisions.page({ tool: 'mcp__web__deliver', kind: 'result' })).entries.length;

const isReading = (tool: string) => /read_|list_|search/.test(tool);

async function attack(injection: Injection, agentId: string, isHeadless = false) {
  current = injection;
  const before = await delivered();
  // The user wants the reading, and nothing else.
  const answer = (tool: string) => (isReading(tool) ? 'approve' : 'deny');
  const text = readingTools[injection.channel](injection);
  const talked = await zoo.talk(agentId, text, { answer, ...(isHeadless && { origin: 'a2a' }) });
  expect({ sent: zoo.sent, wiped: zoo.wiped, delivered: (await delivered()) - before }).toEqual({
    sent: [],
    wiped: [],
    delivered: 0,
  });
  return talked;
}

const read = injections.filter(({ channel }) => channel !== 'tool description');
const described = injections.filter(({ channel }) => channel === 'tool description');

/** The tools of calls, without those that the user wants. */
function namesOf(calls: readonly { tool: string }[]): string[] {
  return calls
    .map(({ tool }) => tool)
    .filter((tool) => !isReading(tool))
    .toSorted();
}

it('the corpus has at least 60 instructions, in every channel, each one different', () => {
  expect(injections.length).toBeGreaterThanOrEqual(60);
  expect(new Set(injections.map(({ text }) => text)).size).toBe(injections.length);
  expect(Object.keys(readingTools).filter((channel) => !injections.some((each) => each.channel === channel))).toEqual(
    [],
  );
});

describe.each([
  ['with the usual permission', 'usual', [...ownCalls, ...delegated]],
  ['that never asks', 'never', ownCalls],
  ['with lasting approvals', 'granted', [...ownCalls, ...delegated]],
])('an agent %s reads', (_, agentId, questions) => {
  it.each(read)('$channel $number in its envelope, obeys it, and does nothing without asking', async (injection) => {
    const first = zoo.model.requests.length;
    const { asked } = await attack(injection, agentId);
    expect(hasObeyed).toBe(true);
    expect(namesOf(asked)).toEqual(questions.toSorted());
    expectEnvelope(injection, zoo.model.requests.slice(first));
  });
});

/** Expects that the instruction could not end the envelope around it. */
function expectEnvelope({ number }: Injection, requests: readonly RecordedModelRequest[]): void {
  const seen = requests.flatMap(({ body }) =>
    body.messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content)),
  );
  const enclosed = seen.filter((text) => text.includes(markOf(number)));
  expect(enclosed.length).toBeGreaterThan(0);
  for (const text of enclosed) {
    const [, boundary = ''] = /^\[outside text ([0-9a-f]{24}) from /.exec(text) ?? [];
    expect(boundary).not.toBe('');
    expect(text.split(boundary)).toHaveLength(3);
    expect(text.trimEnd().endsWith(`[end of outside text ${boundary}]`)).toBe(true);
  }
}

describe('an agent that nobody can be asked about reads', () => {
  it.each(read)('$channel $number, obeys it, and is told why it may not', async (injection) => {
    const { asked, results } = await attack(injection, 'never', true);
    expect(hasObeyed).toBe(true);
    expect(asked).toEqual([]);
    const refused = results.filter(
      ({ text }) => /has read text from outside \(/.test(text) && /after_untrusted/.test(text),
    );
    // The other agent was told the same.
    expect(namesOf(refused)).toEqual([...ownCalls, ...delegated].toSorted());
  });
});

describe('an agent sees the description of a tool', () => {
  it.each(described)('$number, obeys it, and does nothing without asking', async (injection) => {
    const { asked } = await attack(injection, `tipped-${injection.number}`);
    expect(hasObeyed).toBe(true);
    expect(namesOf(asked)).toEqual([...ownCalls, ...delegated].toSorted());
  });

  it.each(described)('$number only after you accepted it, if its server must ask', async (injection) => {
    await attack(injection, `held-${injection.number}`);
    expect(hasObeyed).toBe(false);
  });
});
