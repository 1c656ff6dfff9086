import type { Message, MessageBlock } from '../engine/message.ts';
import type { ContentBlock } from '../tools/content.ts';
import type { Redact } from '../tools/redact/redact.ts';

/** The maximum length of a message's JSON without images, audio and files. */
const maxCharacters = 1_000_000;
/** The maximum base64 length of one image, and of all images in one message. */
const maxDataCharacters = 4_000_000;
const maxDataOfMessage = 8_000_000;
/** Text lengths to try, until the message fits. */
const cuts = [100_000, 10_000, 1_000];
const headCharacters = 100_000;

/** Returns a message as JSON to store: without secrets, and with long texts shortened. */
export function toMessageText(message: Message, redact: Redact): string {
  let text: string;
  try {
    // Before shortening, because part of a secret would not be recognized.
    text = redact(JSON.stringify(message));
  } catch {
    // A tool result may be impossible to represent in JSON, for example too deeply nested. That must not stop the run.
    return JSON.stringify(noteMessage(message, 'This message could not be stored.'));
  }
  return text.length <= maxCharacters ? text : shorten(JSON.parse(text), text);
}

function shorten(message: Message, text: string): string {
  const capped = { ...message, content: capData(message.content) };
  const data = dataIn(capped.content);
  for (const length of [Number.POSITIVE_INFINITY, ...cuts]) {
    const cut = JSON.stringify(capped, (_key, value) =>
      typeof value === 'string' && value.length > length && !data.has(value) ? headOf(value, length) : value,
    );
    if (cut.length - sum(data) <= maxCharacters) return cut;
  }
  return JSON.stringify(noteMessage(message, headOf(text, headCharacters)));
}

function noteMessage({ role }: Message, text: string): Message {
  return { role, content: [{ type: 'text', text }] };
}

/** Shortens a text without splitting a character, and adds a note about the rest. */
function headOf(text: string, length: number): string {
  return `${text.slice(0, length).toWellFormed()}\n[… ${text.length - length} more characters were not kept]`;
}

/** Replaces blocks with too much data by a note, because part of an image is useless. */
function capData(blocks: readonly MessageBlock[]): MessageBlock[] {
  let left = maxDataOfMessage;
  const capBlock = (block: ContentBlock): ContentBlock => {
    const data = dataOf(block);
    if (data === undefined) return block;
    if (data.length <= Math.min(left, maxDataCharacters)) {
      left -= data.length;
      return block;
    }
    return { type: 'text', text: `[${block.type} with ${data.length} characters of base64 was not kept]` };
  };
  return blocks.map((block) => {
    if (block.type === 'tool_result') return { ...block, content: block.content.map(capBlock) };
    return isPlain(block) ? block : capBlock(block);
  });
}

/** Tells whether a block has no data. */
function isPlain(
  block: MessageBlock,
): block is Extract<MessageBlock, { type: 'tool_use' | 'reasoning' | 'file_link' }> {
  return block.type === 'tool_use' || block.type === 'reasoning' || block.type === 'file_link';
}

function dataIn(blocks: readonly MessageBlock[]): Set<string> {
  return new Set(
    blocks.flatMap((block) => {
      if (isPlain(block)) return [];
      const contents = block.type === 'tool_result' ? block.content : [block];
      return contents.flatMap((content) => dataOf(content) ?? []);
    }),
  );
}

function dataOf(block: ContentBlock): string | undefined {
  if (block.type === 'image' || block.type === 'audio') return block.data;
  return block.type === 'resource' && 'blob' in block.resource ? block.resource.blob : undefined;
}

function sum(texts: ReadonlySet<string>): number {
  return [...texts].reduce((total, text) => total + text.length, 0);
}
