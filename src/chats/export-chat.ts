import { toIso } from '../base/clock.ts';
import { fenced } from '../base/fenced.ts';
import type { ContentBlock } from '../tools/content.ts';
import type { Chat } from './chat.ts';
import type { Chats } from './chats.ts';
import type { Answer, AnswerPart, CallPart, Transcript, Turn } from './transcript.ts';

/** Returns a chat with the turns of its active branch, those of its other branches, and the files in its messages. */
export async function toJson(chats: Pick<Chats, 'attachment'>, chat: Chat, { turns, aside }: Transcript) {
  const otherBranches = [...aside.values()];
  const hashes = new Set(
    [...turns, ...otherBranches].flatMap(({ attachments = [] }) => attachments.map(({ hash }) => hash)),
  );
  const files: { hash: string; mimeType: string; data: string }[] = [];
  for (const hash of hashes) {
    const { mimeType, data } = await chats.attachment(chat.id, hash);
    files.push({ hash, mimeType, data: Buffer.from(data).toString('base64') });
  }
  return { format: 'agent-zoo/chat', version: 1, chat, turns, otherBranches, files };
}

/** Returns the active branch of a chat as Markdown, with its tool calls and results. */
export function toMarkdown(chat: Chat, { turns }: Transcript): string {
  const head = [`# ${oneLine(chat.title)}`, `Agent \`${chat.agentId}\`, started ${toIso(chat.createdAt)}`];
  return `${[...head, ...turns.flatMap(turnText)].join('\n\n')}\n`;
}

function turnText({ text, at, attachments = [], answers }: Turn): string[] {
  const files = attachments.map(
    ({ name, mimeType, bytes }) => `_Attached: ${oneLine(name)} (${mimeType}, ${bytes} bytes)_`,
  );
  return ['---', `## You, ${toIso(at)}`, ...files, text.trim(), ...answers.flatMap(answerText)];
}

function answerText(answer: Answer): string[] {
  const { agentId, model, parts, status, reason, error } = answer;
  const shown = parts.map(partText);
  const isWhole = status === 'completed' || status === 'answering';
  const end = isWhole ? [] : [`_${status}: ${oneLine(error?.message ?? reason)}_`];
  return [model === '' ? `## ${agentId}` : `## ${agentId} (${model})`, ...shown, ...end, usageLine(answer)].filter(
    (part) => part !== '',
  );
}

function partText(part: AnswerPart): string {
  if (part.type === 'text') return part.text.trim();
  if (part.type === 'reasoning') return quoted(part.text.trim());
  return callText(part);
}

function callText({ tool, input, state, content, durationMs }: CallPart): string {
  const time = durationMs === undefined ? '' : `, ${durationMs} ms`;
  const inputBlock = fenced(JSON.stringify(input, undefined, 2) ?? '', 'json');
  const outputBlocks = (content ?? []).map(blockText);
  return [`**Call to \`${tool}\`** (${state}${time})`, inputBlock, ...outputBlocks].join('\n\n');
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return fenced(block.text);
    case 'resource_link':
      return `_Link: ${oneLine(block.uri)}_`;
    case 'resource':
      return 'text' in block.resource ? fenced(block.resource.text) : `_File: ${oneLine(block.resource.uri)}_`;
    default:
      return `_${block.type}, ${block.mimeType}_`;
  }
}

function usageLine({ usage, cost }: Answer): string {
  const { inputTokens, outputTokens } = usage;
  if (inputTokens + outputTokens === 0) return '';
  return `<sub>${inputTokens} tokens in, ${outputTokens} out${cost === null || cost === 0 ? '' : `, $${cost.toFixed(4)}`}</sub>`;
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
