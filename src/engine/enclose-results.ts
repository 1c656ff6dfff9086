import { enclose } from '../tools/outside-text.ts';
import type { Message, ToolResultBlock } from './message.ts';

/** Messages never change, and every tick sends all of them again. */
const enclosed = new WeakMap<Message, Message>();

/** Puts results with text from outside into their envelopes. */
export function encloseResults(message: Message): Message {
  if (message.role !== 'tool') return message;
  const known = enclosed.get(message);
  if (known) return known;
  const content = message.content.map((block) => (block.type === 'tool_result' ? encloseResult(block) : block));
  const result = { ...message, content };
  enclosed.set(message, result);
  return result;
}

function encloseResult(block: ToolResultBlock): ToolResultBlock {
  const { outside, content, structuredContent } = block;
  if (!outside) return block;
  const isData = content.length === 0 && structuredContent !== undefined;
  const shown = isData ? [{ type: 'text' as const, text: JSON.stringify(structuredContent) }] : content;
  return { ...block, content: enclose(shown, outside) };
}
