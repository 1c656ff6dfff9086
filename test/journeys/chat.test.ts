import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Chat } from '../../src/chats/chat.ts';
import type { ChatContextBody, ChatExportBody, ChatListBody, MessageSentBody } from '../../src/http/chat-types.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { answerText, type ChatReader, isFinished, readChat, textSeen } from '../support/chat-client.ts';
import {
  type ModelStep,
  type RecordedModelRequest,
  startModelServer,
  type TestModelServer,
} from '../support/model-server.ts';
import { serveTestHub, type TestHub } from '../support/serve-test-hub.ts';

let model: TestModelServer;
let zoo: TestHub;
let script: ModelStep[] = [];
let asked: RecordedModelRequest[] = [];
const paid: unknown[] = [];
const readers: ChatReader[] = [];

const pay = defineTool({
  name: 'pay',
  description: 'Pays a bill.',
  requiresApproval: true,
  input: { jsonSchema: { type: 'object', properties: { amount: { type: 'number' } } } },
  run: (input) => {
    paid.push(input);
    return { paid: true };
  },
});

beforeAll(async () => {
  model = await startModelServer({
    script: (request) => {
      asked.push(request);
      return script.shift() ?? { status: 400, body: { error: { message: 'the script is over' } } };
    },
  });
  zoo = await serveTestHub({
    toml: '[engine]\nmodel = "openai-compatible/scripted"\n',
    env: { OPENAI_COMPATIBLE_BASE_URL: model.url },
    tools: [pay],
  });
  await zoo.call('POST', '/api/agents', {
    body: {
      id: 'clerk',
      name: 'Clerk',
      systemPrompt: 'You pay bills.',
      tools: ['pay'],
      toolPermission: 'tool',
      skills: [{ id: 's', name: 'Care', description: 'Count twice.' }],
      exposes: [
        {
          name: 'settle',
          description: 'Settles a bill.',
          parameters: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
          prompt: 'Settle the bill of {who}.',
        },
      ],
    },
  });
  await zoo.call('POST', '/api/agents', { body: { id: 'poet', name: 'Poet', systemPrompt: 'You write poems.' } });
});
afterAll(async () => {
  await Promise.all(readers.map((reader) => reader.close()));
  await zoo.end();
  await model.close();
});
beforeEach(() => {
  script = [];
  asked = [];
  paid.length = 0;
});

async function begin(body: object = {}): Promise<{ chat: Chat; reader: ChatReader }> {
  const {
    status,
    body: chat,
    text,
  } = await zoo.call<Chat>('POST', '/api/chats', { body: { agentId: 'clerk', ...body } });
  expect(status, text).toBe(201);
  return { chat, reader: await read(chat.id) };
}

async function read(id: string): Promise<ChatReader> {
  const reader = await readChat(zoo.server.url, id);
  readers.push(reader);
  return reader;
}

async function send(id: string, body: object): Promise<MessageSentBody> {
  const { status, body: sent, text } = await zoo.call<MessageSentBody>('POST', `/api/chats/${id}/messages`, { body });
  expect(status, text).toBe(202);
  return sent;
}

const chatOf = async (id: string) => (await zoo.call<Chat>('GET', `/api/chats/${id}`)).body;

/** What the model was told, without the system text. */
function told(request: RecordedModelRequest | undefined): string[] {
  return (request?.body.messages ?? [])
    .filter(({ role }) => role !== 'system')
    .map(
      ({ role, content, tool_calls }) =>
        `${role}: ${tool_calls ? tool_calls.map((call) => call.function.name) : textOf(content)}`,
    );
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

describe('a chat over HTTP', () => {
  it('streams the answer, counts it, takes its title from the first words, and goes on', async () => {
    script = [
      { text: ['Good ', 'morning.'], usage: { input: 10, output: 2 } },
      { text: 'It is nine.', usage: { input: 20, output: 3 } },
    ];
    const { chat, reader } = await begin();
    await reader.ready;
    expect(chat).toMatchObject({ title: 'New chat', state: 'idle', model: null, lastSeq: 0, origin: { kind: 'chat' } });
    const first = await send(chat.id, { text: 'Hello there, how are you?' });
    await reader.until(isFinished(first.runId));
    expect(answerText(reader.transcript)).toBe('Good morning.');
    const second = await send(chat.id, { text: 'What time is it?' });
    await reader.until(isFinished(second.runId));
    expect(reader.transcript.turns.map(({ text }) => text)).toEqual(['Hello there, how are you?', 'What time is it?']);
    expect(told(asked[1])).toEqual([
      'user: Hello there, how are you?',
      'assistant: Good morning.',
      'user: What time is it?',
    ]);
    expect(await chatOf(chat.id)).toMatchObject({
      title: 'Hello there, how are you?',
      state: 'idle',
      usage: { inputTokens: 30, outputTokens: 5 },
      lastSeq: reader.transcript.lastSeq,
    });
    expect(reader.events.map(({ seq }) => seq)).toEqual(reader.events.map((_, index) => index + 1));
    expect(reader.events[1]).toMatchObject({
      type: 'answer.started',
      agentId: 'clerk',
      model: 'openai-compatible/scripted',
    });
  });
});
