import type { Message, Part, SendMessageRequest } from '@a2a-js/sdk';
import {
  ContentTypeNotSupportedError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
} from '@a2a-js/sdk/errors';
import { depthKey } from '../tools/caller.ts';

/** A caller's message. */
export interface ReadMessage {
  text: string;
  contextId: string | undefined;
  taskId: string | undefined;
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
  const text = readParts(message.parts);
  if (text.trim() === '') throw new RequestMalformedError('The message has no text.');
  const allMetadata = { ...metadata, ...message.metadata };
  return {
    text,
    contextId: message.contextId || undefined,
    taskId: message.taskId || undefined,
    depth: readDepth(allMetadata[depthKey]),
    arguments: readArguments(allMetadata.arguments),
    returnsImmediately: configuration?.returnImmediately ?? false,
    historyLength: configuration?.historyLength,
  };
}

function readParts(parts: Message['parts']): string {
  const texts = parts.map(({ content }) => {
    if (content?.$case === 'text') return content.value;
    if (content?.$case === 'data') return JSON.stringify(content.value);
    throw unreadable(content);
  });
  return texts.join('\n\n');
}

function unreadable(content: Part['content']): Error {
  if (content === undefined) return new RequestMalformedError('A part of the message has no content.');
  return new ContentTypeNotSupportedError('This agent accepts text and data, but no files.');
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
