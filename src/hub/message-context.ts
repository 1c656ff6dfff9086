import type { Agent } from '../agents/agent.ts';
import { itemsForMessage } from '../agents/message-context.ts';
import type { PrepareQuestion } from '../engine/chat-session.ts';
import type { MessageBlock } from '../engine/message.ts';

/**
 * Returns the function that puts the agent's rules and references before a question; undefined if it has none. They become part of the
 * stored message, so that the rest of the conversation keeps them. What the conversation already contains is not repeated.
 */
export function contextOfMessages(agent: Agent): PrepareQuestion | undefined {
  if (agent.rules.length === 0 && agent.references.length === 0) return undefined;
  return (question, { conversation, mentionsIn }) => {
    const text = question.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');
    const present = new Set([...conversation, question].flatMap(({ content }) => content.flatMap(keyOf)));
    const blocks = itemsForMessage(agent, { text, mentionsIn })
      .map((item) => ({ type: 'resource' as const, resource: { ...item, mimeType: 'text/markdown' } }))
      .filter((block) => keyOf(block).every((key) => !present.has(key)));
    return blocks.length === 0 ? question : { ...question, content: [...blocks, ...question.content] };
  };
}

/** A changed text counts as new. */
function keyOf(block: MessageBlock): string[] {
  if (block.type !== 'resource' || !('text' in block.resource)) return [];
  return [`${block.resource.uri}\n${block.resource.text}`];
}
