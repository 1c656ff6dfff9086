import { HubError } from '../base/hub-error.ts';
import { sizeName } from '../base/size-name.ts';
import type { Attachment } from '../chats/attachments/attachment.ts';
import { linkedIn, withContent } from '../chats/attachments/attachment-blocks.ts';
import type { ChatStore } from '../chats/chat-store.ts';
import { encloseResults } from '../engine/enclose-results.ts';
import type { Message, MessageBlock } from '../engine/message.ts';
import { outsideRule } from '../tools/outside-text.ts';
import type { StepPrompt } from './runs.contract.ts';
import type { StoredRunHistory } from './runs.ts';

interface PromptParts {
  runs: Pick<StoredRunHistory, 'get' | 'step' | 'conversation'>;
  files: Pick<ChatStore, 'attachments'>;
}

/** Rebuilds what a model call sent: the messages come from the conversation of the run. Throws INVALID_ARGUMENTS, NOT_FOUND. */
export async function readPrompt({ runs, files }: PromptParts, id: string, number: string): Promise<StepPrompt> {
  const { step, prompt } = await runs.step(id, /^\d{1,9}$/.test(number) ? Number(number) : -1);
  if (step.kind === 'tool')
    throw new HubError(
      'INVALID_ARGUMENTS',
      `Step ${step.step} is a call to ${step.tool}. Only model calls have a prompt.`,
    );
  const conversation = (await runs.conversation(id)).slice(0, step.messages).map(({ message }) => message);
  const sent = await withFiles({ runs, files }, id, conversation);
  const isEnclosed = prompt?.system.endsWith(outsideRule) === true;
  return {
    step,
    system: prompt?.system ?? null,
    tools: prompt === undefined ? [] : JSON.parse(prompt.tools),
    messages: isEnclosed ? sent.map(encloseResults) : sent,
  };
}

/** Puts the text of attached files into the messages, as the model got it. Images are named, but not repeated. */
async function withFiles({ runs, files }: PromptParts, id: string, messages: readonly Message[]): Promise<Message[]> {
  const links = messages.flatMap(linkedIn);
  if (links.length === 0) return [...messages];
  const { chatId } = await runs.get(id);
  const hashes = links.map(({ hash }) => hash);
  const found = chatId === null ? undefined : await files.attachments(chatId, hashes);
  const texts = new Map([...(found ?? [])].filter(([, { text }]) => text !== null));
  return withContent(messages, texts).map((message) => {
    const left = linkedIn(message);
    if (left.length === 0) return message;
    const content = message.content.map((block): MessageBlock => {
      const link = left.find(({ hash }) => block.type === 'resource_link' && block.uri.endsWith(hash));
      return link ? { type: 'text', text: standIn(link, found?.has(link.hash) === true) } : block;
    });
    return { ...message, content };
  });
}

function standIn({ name, mimeType, bytes }: Attachment, isKept: boolean): string {
  const why = isKept ? 'The model got the image itself, which is not shown here.' : 'It was deleted with its chat.';
  return `[${name}, ${mimeType}, ${sizeName(bytes)}. ${why}]`;
}
