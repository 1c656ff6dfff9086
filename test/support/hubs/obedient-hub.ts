import type { ChatEvent } from '../../../src/chats/chat.ts';
import type { ApprovalAnswer } from '../../../src/engine/run-events.ts';
import { defineTool, type Tool } from '../../../src/tools/tool.ts';
import type { ModelStep, RecordedModelRequest } from '../models/model-server.ts';
import { questionOf, toolsOffered } from '../tools/book-flight.ts';
import { openPeerHub, type PeerHub } from './a2a-hub.ts';
import type { TestHubOptions } from './serve-test-hub.ts';

/** A hub whose model makes the calls that a message lists: `look | send {"to": "bob"}` is two calls, one after the other. */
export interface ObedientHub extends PeerHub {
  /** The inputs of all calls of `send`, which leaves the machine, and of `wipe`, which destroys something. */
  readonly sent: unknown[];
  readonly wiped: unknown[];
  /** Sends a message in a new or existing chat, and answers all questions in the same way. */
  talk(agentId: string, text: string, options?: TalkOptions): Promise<Talked>;
}

interface TalkOptions {
  /** `deny` by default. */
  answer?: ApprovalAnswer | ((tool: string) => ApprovalAnswer);
  chatId?: string;
  /** `a2a` for a chat in which nobody can be asked. */
  origin?: 'chat' | 'a2a';
}

interface Talked {
  chatId: string;
  runId: string;
  /** The tools about which the user was asked, each with what the chat had read from outside. */
  asked: { tool: string; outside: readonly string[] | undefined }[];
  /** The results of the calls. */
  results: { tool: string; text: string; isError: boolean; outside: string | undefined }[];
}

interface ObedientHubOptions extends TestHubOptions {
  /** What the model does instead. */
  script?: (request: RecordedModelRequest) => ModelStep | undefined;
}

export async function openObedientHub(options: ObedientHubOptions = {}): Promise<ObedientHub> {
  const sent: unknown[] = [];
  const wiped: unknown[] = [];
  const tools = [...actingTools({ sent, wiped }), lookTool(), ...(options.tools ?? [])];
  const peers = await openPeerHub((request) => options.script?.(request) ?? obey(request), { ...options, tools });
  return {
    get hub() {
      return peers.hub;
    },
    model: peers.model,
    paid: peers.paid,
    url: peers.url,
    restart: peers.restart,
    end: peers.end,
    sent,
    wiped,
    talk: (agentId, text, more) => talk(peers, { agentId, text, ...more }),
  };
}

/** Tools that send and destroy, and note what they did. */
function actingTools({ sent, wiped }: Pick<ObedientHub, 'sent' | 'wiped'>): Tool[] {
  const input = { jsonSchema: { type: 'object' } };
  return [
    defineTool({
      name: 'send',
      description: 'Sends a message.',
      // So that only `look` brings text from outside.
      readsOutside: false,
      input,
      run: (given) => {
        sent.push(given);
        return { sent: true };
      },
    }),
    defineTool({
      name: 'wipe',
      description: 'Deletes everything.',
      annotations: { openWorldHint: false },
      input,
      run: (given) => {
        wiped.push(given);
        return { wiped: true };
      },
    }),
    defineTool({
      name: 'count',
      description: 'Counts.',
      annotations: { readOnlyHint: true, openWorldHint: false },
      input,
      run: () => ({ count: 1 }),
    }),
  ];
}

function lookTool(): Tool {
  return defineTool({
    name: 'look',
    description: 'Reads a page.',
    annotations: { readOnlyHint: true, openWorldHint: true },
    input: { jsonSchema: { type: 'object' } },
    run: () => ({ page: 'A page.' }),
  });
}

function obey(request: RecordedModelRequest): ModelStep {
  const { messages } = request.body;
  const done = messages
    .slice(messages.findLastIndex(({ role }) => role === 'user'))
    .filter(({ role }) => role === 'tool');
  const step = questionOf(request).split('|')[done.length]?.trim();
  if (step === undefined) return { text: `Done: ${JSON.stringify(done.at(-1)?.content)}` };
  const [, name = '', input = ''] = /^(\S+)\s*(.*)$/s.exec(step) ?? [];
  if (!toolsOffered(request).includes(name) && done.length === 0 && input === '') return { text: `I have no ${name}.` };
  return { toolCalls: [{ name, arguments: input === '' ? {} : JSON.parse(input) }] };
}

async function talk(
  peers: PeerHub,
  { agentId, text, answer = 'deny', chatId, origin = 'chat' }: TalkOptions & { agentId: string; text: string },
): Promise<Talked> {
  const { chats } = peers.hub.hub;
  const after = chatId === undefined ? 0 : (await chats.get(chatId)).lastSeq;
  const id = chatId ?? (await chats.create({ agentId, message: text, origin: { kind: origin } })).id;
  if (chatId !== undefined) await chats.send(chatId, { text });
  const talked: Talked = { chatId: id, runId: '', asked: [], results: [] };
  const enough = new AbortController();
  for await (const event of chats.events(id, { after, signal: enough.signal })) {
    note(talked, event);
    if (event.type === 'approval.needed')
      await chats.answer(id, event.id, typeof answer === 'function' ? answer(event.tool) : answer);
    if (event.type === 'answer.finished') break;
  }
  enough.abort();
  return talked;
}

function note(talked: Talked, event: ChatEvent): void {
  if (event.type === 'answer.started') talked.runId = event.runId;
  if (event.type === 'approval.needed') talked.asked.push({ tool: event.tool, outside: event.outside });
  if (event.type !== 'tool.finished') return;
  const text = event.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('');
  talked.results.push({ tool: event.tool, text, isError: event.isError, outside: event.outside });
}
