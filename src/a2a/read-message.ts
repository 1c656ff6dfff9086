import type { Message, Part, SendMessageRequest } from '@a2a-js/sdk';
import {
  ContentTypeNotSupportedError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
} from '@a2a-js/sdk/errors';
import type { ApprovalAnswer } from '../engine/run-events.ts';
import { depthKey } from '../tools/caller.ts';

/** A caller's message. */
export interface ReadMessage {
  text: string;
  contextId: string | undefined;
  taskId: string | undefined;
  /** Set if the message may answer an approval question. */
  approval: { answer: ApprovalAnswer; toolUseId: string | undefined } | undefined;
  /** The number of nested agent calls before this one. */
  depth: number;
  /** Arguments for the agent's prompt, used with the first message of a conversation. */
  arguments: Record<string, string>;
  returnsImmediately: boolean;
  historyLength: number | undefined;
}

/** Throws A2A errors for content that agents do not support. */
export function readMessage({ message, configuration, metadata }: SendMessageRequest): ReadMessage {
  if (!message || message.parts.length === 0) throw new RequestMalformedError('The message has no parts.');
  if (configuration?.taskPushNotificationConfig) throw new PushNotificationNotSupportedError();
  const { text, approval } = readParts(message.parts);
  if (text.trim() === '' && !approval) throw new RequestMalformedError('The message has no text.');
  const allMetadata = { ...metadata, ...message.metadata };
  return {
    text,
    contextId: message.contextId || undefined,
    taskId: message.taskId || undefined,
    approval: approval ?? readAnswer(text, undefined),
    depth: readDepth(allMetadata[depthKey]),
    arguments: readArguments(allMetadata.arguments),
    returnsImmediately: configuration?.returnImmediately ?? false,
    historyLength: configuration?.historyLength,
  };
}

function readParts(parts: Message['parts']): { text: string; approval: ReadMessage['approval'] } {
  const texts: string[] = [];
  let approval: ReadMessage['approval'];
  for (const { content } of parts) {
    if (content?.$case === 'text') texts.push(content.value);
    else if (content?.$case === 'data') {
      approval ??= readApproval(content.value);
      if (!approval) texts.push(JSON.stringify(content.value));
    } else throw unreadable(content);
  }
  return { text: texts.join('\n\n'), approval };
}

function unreadable(content: Part['content']): Error {
  if (content === undefined) return new RequestMalformedError('A part of the message has no content.');
  return new ContentTypeNotSupportedError('This agent accepts text and data, but no files.');
}

function readApproval(data: unknown): ReadMessage['approval'] {
  if (typeof data !== 'object' || data === null || !('approval' in data)) return undefined;
  const { approval } = data;
  const toolUseId = 'toolUseId' in data && typeof data.toolUseId === 'string' ? data.toolUseId : undefined;
  return typeof approval === 'string' ? readAnswer(approval, toolUseId) : undefined;
}

function readAnswer(text: string, toolUseId: string | undefined): ReadMessage['approval'] {
  const word = /^\s*["']?(approve|always|deny)["']?[.!]?\s*$/i.exec(text)?.[1]?.toLowerCase();
  // The pattern matches no other word.
  return word === undefined ? undefined : { answer: word as ApprovalAnswer, toolUseId };
}

function readDepth(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

function readArguments(value: unknown): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) {
    const entries = Object.entries(value);
    if (entries.every(([, each]) => typeof each === 'string')) return Object.fromEntries(entries);
  }
  throw new RequestMalformedError('"arguments" in the metadata must be an object with string values.');
}
