import type { Message, MessageBlock } from '../../engine/message.ts';
import { encloseText, newBoundary } from '../../tools/outside-text.ts';
import type { Attachment } from './attachment.ts';
import { type AttachedFile, sourcesOf } from './read-attachment.ts';

type LinkBlock = Extract<MessageBlock, { type: 'resource_link' }>;
const scheme = 'attachment:';

/** The block that stands for an attachment in a stored message. Its content is stored once, elsewhere. */
export function linkTo({ hash, name, mimeType, bytes }: Attachment): LinkBlock {
  return { type: 'resource_link', uri: `${scheme}${hash}`, name, mimeType, description: `${bytes} bytes` };
}

/** Returns the attachments that a stored message of the user links to. */
export function linkedIn({ role, content }: Message): Attachment[] {
  if (role !== 'user') return [];
  return content.flatMap((block) => {
    if (block.type !== 'resource_link' || !block.uri.startsWith(scheme)) return [];
    const { uri, name, mimeType = '', description = '' } = block;
    return [{ hash: uri.slice(scheme.length), name, mimeType, bytes: Number.parseInt(description, 10) }];
  });
}

/** Returns what the model sees of an attachment. Text is marked as text from outside. */
export function toBlock(file: AttachedFile): MessageBlock {
  const { name, mimeType, data, text } = file;
  if (text === null) return { type: 'image', data: Buffer.from(data).toString('base64'), mimeType };
  const [source = name] = sourcesOf([file]);
  const enclosed = encloseText(text, { source, boundary: newBoundary() });
  return { type: 'resource', resource: { uri: `${scheme}${encodeURIComponent(name)}`, mimeType, text: enclosed } };
}

/** Replaces the links in stored messages with what the model sees. */
export function withContent(
  messages: readonly Message[],
  files: ReadonlyMap<string, Omit<AttachedFile, 'name'>>,
): Message[] {
  return messages.map((message) => {
    const links = new Map(linkedIn(message).map((link) => [`${scheme}${link.hash}`, link]));
    if (links.size === 0) return message;
    const content = message.content.map((block): MessageBlock => {
      const link = block.type === 'resource_link' ? links.get(block.uri) : undefined;
      const file = link && files.get(link.hash);
      return link && file ? toBlock({ ...file, name: link.name }) : block;
    });
    return { ...message, content };
  });
}
