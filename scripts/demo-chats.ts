import type { Hub } from '../src/index.ts';
import type { ModelStep } from '../test/support/models/model-server.ts';
import type { DemoModel } from './demo-runs.ts';
import type { DemoStep } from './demo-team.ts';

interface DemoChat {
  /** Minutes ago. */
  at: number;
  agent: string;
  title: string;
  messages: readonly { text: string; steps: readonly ModelStep[] }[];
}

/** Adds typical conversations: with calls, with an error, edited, interrupted, and a short one. */
export function stepsOfChats(hub: Hub, { server }: DemoModel): DemoStep[] {
  const { chats } = hub;
  const talk = async ({ agent, title, messages }: DemoChat) => {
    const { id } = await chats.create({ agentId: agent, title, model: 'office/zebra-large' });
    for (const { text, steps } of messages) {
      server.add(...steps);
      const { runId } = await chats.send(id, { text });
      await untilEvent(hub, id, (event) => event.type === 'answer.finished' && event.runId === runId);
    }
  };
  return [
    ...demoChats.map((chat) => ({ at: chat.at, isLive: true, run: () => talk(chat) })),
    { at: 7, isLive: true, run: () => addEditedChat(hub, server) },
    { at: 6.5, run: () => addInterruptedChat(hub) },
  ];
}

/** A conversation that waits for approval. It must be live, so it starts now. */
export async function addWaitingChat(hub: Hub, { server }: DemoModel): Promise<void> {
  const { chats } = hub;
  server.add(...waitingSteps);
  const { id } = await chats.create({
    agentId: 'incident-responder',
    title: 'Write the timeline of the payments incident',
  });
  await chats.send(id, { text: 'Add the timeline of the payments incident to our notes.' });
  await untilEvent(hub, id, (event) => event.type === 'approval.needed');
}

/** A question with a file, which was edited after it was answered. */
async function addEditedChat(hub: Hub, server: DemoModel['server']): Promise<void> {
  const { chats } = hub;
  const { id } = await chats.create(
    { agentId: 'architect', title: 'Which service owns refunds?', model: 'office/zebra-large' },
    { id: 'chat_demo_refunds' },
  );
  const data = Buffer.from('# Services\n\n- payments: charges and refunds\n- ledger: entries\n').toString('base64');
  const ask = async (text: string, answer: string, replaces?: string) => {
    server.add({ text: answer, ...usage(640, 22) });
    const sent = await chats.send(id, { text, replaces, attachments: [{ name: 'services.md', data }] });
    await untilEvent(hub, id, (event) => event.type === 'answer.finished' && event.runId === sent.runId);
    return sent.messageId;
  };
  const first = await ask('Which service owns refunds?', 'Payments owns refunds.');
  await ask('Which service should own refunds, and why?', 'Payments: it knows what was charged.', first);
}

/** An answer whose process ended before it was complete. */
async function addInterruptedChat({ chats, store }: Hub): Promise<void> {
  const agentId = 'architect';
  const model = 'office/zebra-large';
  const title = 'Where does the queue live?';
  const { id } = await chats.create({ agentId, title, model }, { id: 'chat_demo_interrupted' });
  const runId = 'run_demo_chat_interrupted';
  const text = 'Where does the queue live, and who empties it?';
  const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };
  const reason = 'The process ended before the answer was complete.';
  await store.chats.begin(id, { lastSeq: 0, messageId: 'message_demo', text, runId, agentId, model, title });
  await store.chats.finish(id, {
    runId,
    events: [
      { type: 'tick.started', runId, tick: 1 },
      { type: 'text', runId, delta: 'The queue lives in the ledger, and' },
      { type: 'answer.finished', runId, status: 'interrupted', reason, usage, cost: null, error: null },
    ],
    messages: [],
    usage,
    cost: null,
    state: 'interrupted',
  });
}

type DemoEvent = { type: string; runId?: string };

/** Waits for an event, and approves for the chat whatever is asked before it. */
async function untilEvent({ chats }: Hub, id: string, isIt: (event: DemoEvent) => boolean): Promise<void> {
  for await (const event of chats.events(id, { signal: AbortSignal.timeout(30_000) })) {
    if (isIt(event)) return;
    if (event.type === 'approval.needed') await chats.answer(id, event.id, 'chat');
  }
}

const usage = (input: number, output: number) => ({ usage: { input, output } });

const firstAid = `## What to do first

The release of **14:05** changed how \`ledger-writer\` retries. Since then *4.2 %* of the writes time out.

1. Roll back with one command:

   \`\`\`sh
   deploy rollback payments --to 2026.11.3
   \`\`\`

2. Watch the queue until it is below 200.
3. Tell support that refunds are delayed but not lost.

| Service  | Errors | Since |
|----------|-------:|-------|
| payments | 4.2 %  | 14:05 |
| ledger   | 0.3 %  | 14:06 |

> The runbook says: roll back first, ask why later.`;

const demoChats: readonly DemoChat[] = [
  {
    at: 8,
    agent: 'code-reviewer',
    title: 'Is this retry safe?',
    messages: [
      {
        text: 'Is it safe to retry a POST to the ledger three times?',
        steps: [
          {
            text: 'Only with an idempotency key. Without one, a write that timed out may have succeeded, and the retry books it twice.',
            ...usage(1_130, 58),
          },
        ],
      },
    ],
  },
  {
    at: 7,
    agent: 'writer',
    title: 'Release note for the approval page',
    messages: [
      {
        text: 'One sentence for the release notes: the approval page shows who asked and why.',
        steps: [
          {
            text: 'When you approve a refund, you now see **who asked for it and why**.',
            ...usage(890, 31),
          },
        ],
      },
    ],
  },
  {
    at: 5,
    agent: 'incident-responder',
    title: 'Payments failing since the 14:05 release',
    messages: [
      {
        text: 'Payments failing since the 14:05 release. What do I do first?',
        steps: [
          {
            reasoning: 'They need the first step, not the cause. The runbook has it.',
            text: 'Let me check the runbook and what the graph knows about payments.',
            toolCalls: [
              { id: 'call_p1', name: 'search', arguments: { query: 'roll back payments', limit: 2 } },
              { id: 'call_p2', name: 'mcp__memory__search_nodes', arguments: { query: 'payments' } },
            ],
            ...usage(2_910, 102),
          },
          {
            toolCalls: [{ id: 'call_p3', name: 'mcp__everything__get-sum', arguments: { a: 'many', b: 3 } }],
            ...usage(4_320, 38),
          },
          { text: firstAid, ...usage(4_610, 188) },
        ],
      },
    ],
  },
  {
    at: 3,
    agent: 'architect',
    title: 'Where should retries live?',
    messages: [
      {
        text: 'Should retries live in the client or in the gateway?',
        steps: [{ status: 401, body: { error: { message: 'This key was revoked.' } } }],
      },
    ],
  },
];

const waitingSteps: readonly ModelStep[] = [
  {
    text: 'I have the times from the alerts. Here is the note I would write:',
    toolCalls: [
      {
        id: 'call_w1',
        name: 'mcp__files__write_file',
        arguments: {
          path: 'incidents/payments-2026-11-16.md',
          content: '# Payments, 16 November\n\n- 14:05 release 2026.11.4\n- 14:09 first alert\n- 14:21 rolled back',
        },
      },
    ],
    ...usage(3_120, 121),
  },
];
