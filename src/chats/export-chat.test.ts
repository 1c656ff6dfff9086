import { expect, it } from 'vitest';
import type { Chat } from './chat.ts';
import { toMarkdown } from './export-chat.ts';
import { type Answer, emptyTranscript } from './transcript.ts';

const usage = { inputTokens: 12, outputTokens: 3, cachedInputTokens: 0, reasoningTokens: 0 };
const chat: Chat = {
  id: 'chat_1',
  agentId: 'clerk',
  title: 'A title\nof two lines',
  model: null,
  origin: { kind: 'chat' },
  state: 'idle',
  createdAt: 0,
  updatedAt: 0,
  usage,
  cost: 0,
  outside: [],
  lastSeq: 1,
};
const answer: Answer = {
  runId: 'r',
  agentId: 'clerk',
  model: 'house/m',
  status: 'aborted',
  parts: [
    { type: 'reasoning', text: 'First\nthen' },
    { type: 'text', text: 'Here:' },
    {
      type: 'call',
      id: 'c',
      tool: 'read',
      input: { path: 'a.md' },
      state: 'finished',
      durationMs: 7,
      content: [
        { type: 'text', text: 'Code:\n```js\n1\n```' },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      ],
    },
  ],
  usage,
  cost: 0.0123,
  reason: 'The answer was stopped.',
  error: null,
  startedAt: 0,
  finishedAt: 1,
  tickStart: 0,
};

it('an export has messages, reasoning, calls with results, and how each answer ended', () => {
  const turns = [{ messageId: 'm', parentId: '', text: ' Read it ', at: 0, answers: [answer] }];
  expect(toMarkdown(chat, { ...emptyTranscript(), turns })).toBe(`# A title of two lines

Agent \`clerk\`, started 1970-01-01T00:00:00.000Z

---

## You, 1970-01-01T00:00:00.000Z

Read it

## clerk (house/m)

> First
> then

Here:

**Call to \`read\`** (finished, 7 ms)

\`\`\`json
{
  "path": "a.md"
}
\`\`\`

\`\`\`\`
Code:
\`\`\`js
1
\`\`\`
\`\`\`\`

_image, image/png_

_aborted: The answer was stopped._

<sub>12 tokens in, 3 out, $0.0123</sub>
`);
});
