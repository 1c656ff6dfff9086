import { fenced } from '../base/fenced.ts';
import type { ContentBlock } from '../tools/content.ts';
import type { MessageBlock } from './message.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Translates a block as AIDK stores it: media with a `source`, calls with `toolUseId`, data, code and events. Returns other blocks as they
 * are, and undefined for a type that nobody knows. The result is not checked.
 */
export function translateBlock(block: Fields): Fields | undefined {
  const { type } = block;
  if (typeof type !== 'string') return undefined;
  return Object.hasOwn(translations, type) ? translations[type]?.(block) : undefined;
}

const same = (block: Fields) => block;

const translations: Record<string, (block: Fields) => Fields> = {
  text: same,
  reasoning: same,
  resource_link: same,
  resource: same,
  file_link: same,
  tool_result: same,
  tool_use: ({ toolUseId, ...block }) => (typeof toolUseId === 'string' ? { ...block, id: toolUseId } : block),
  image: (block) => media(block, 'image/png'),
  audio: (block) => media(block, 'audio/wav'),
  document: (block) => media(block, 'application/pdf'),
  video: (block) => media(block, 'video/mp4'),
  json: ({ text, data }) => codeBlock(text || JSON.stringify(data, undefined, 2), 'json'),
  code: ({ text, language }) => codeBlock(text, language),
  xml: ({ text }) => codeBlock(text, 'xml'),
  csv: ({ text }) => codeBlock(text, 'csv'),
  html: ({ text }) => codeBlock(text, 'html'),
  generated_image: ({ data, mimeType }) => ({ type: 'image', data, mimeType }),
  generated_file: ({ uri, mimeType, displayName }) => ({
    type: 'resource_link',
    uri,
    name: displayName ?? uri,
    ...(typeof mimeType === 'string' && { mimeType }),
  }),
  executable_code: ({ code, language }) => codeBlock(code, language),
  code_execution_result: ({ output, isError }) =>
    plain(typeof output === 'string' ? `[${isError === true ? 'error' : 'output'} of the code]\n${output}` : output),
  user_action: ({ text, actor, action, target, details }) =>
    event(text, 'user action', [actor, action, target, asJson(details)]),
  system_event: ({ text, event: name, source, data }) =>
    event(text, 'system event', [name, typeof source === 'string' ? `(${source})` : undefined, asJson(data)]),
  state_change: ({ text, entity, field, from, to, trigger }) =>
    event(text, 'state change', [
      [entity, field].filter((part) => typeof part === 'string').join('.'),
      `${asJson(from) ?? 'undefined'} → ${asJson(to) ?? 'undefined'}`,
      typeof trigger === 'string' ? `(${trigger})` : undefined,
    ]),
};

/** The types of blocks that a message may have. */
export const blockTypes: readonly string[] = Object.keys(translations);

/** Returns the content of a tool's result: links to files become resource links, because no provider fetches them there. */
export function toResultContent(block: MessageBlock): ContentBlock | undefined {
  switch (block.type) {
    case 'tool_use':
    case 'tool_result':
      return undefined;
    case 'reasoning':
      return { type: 'text', text: block.text };
    case 'file_link':
      return { type: 'resource_link', uri: block.url, name: block.url, mimeType: block.mimeType };
    default:
      return block;
  }
}

/** Converts media to data, a link, or a resource. */
function media(block: Fields, assumedType: string): Fields {
  const { source } = block;
  if (typeof source !== 'object' || source === null) return block;
  const { type, url, data, mimeType: inner, fileId, bucket, key, object } = source as Fields;
  const mimeType = [block.mimeType, inner].find((each) => typeof each === 'string');
  if (type === 'url' && typeof url === 'string') {
    const inline = /^data:([^;,]*);base64,(.*)$/s.exec(url);
    if (inline) return file(block, inline[2], mimeType ?? inline[1] ?? assumedType);
    return { type: 'file_link', url, mimeType: mimeType ?? typeByEnding(url) ?? anySubtype(assumedType) };
  }
  if (type === 'base64') {
    const inline = typeof data === 'string' ? data.replace(/^data:[^,]*,/, '') : data;
    return file(block, inline, mimeType ?? assumedType);
  }
  const places: Record<string, unknown> = {
    file_id: fileId,
    s3: `s3://${bucket}/${key}`,
    gcs: `gs://${bucket}/${object}`,
  };
  const place = typeof type === 'string' && Object.hasOwn(places, type) ? places[type] : undefined;
  // Only the author's own programs can read such a place.
  return typeof place === 'string' ? plain(`[${block.type}: ${place}, not shown here]`) : { ...block, data: undefined };
}

function file({ type, title }: Fields, data: unknown, mimeType: unknown): Fields {
  if (type === 'image' || type === 'audio') return { type, data, mimeType };
  const name = typeof title === 'string' && title !== '' ? title : type;
  return {
    type: 'resource',
    resource: { uri: `attachment:${encodeURIComponent(String(name))}`, mimeType, blob: data },
  };
}

const endings: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
};

function typeByEnding(url: string): string | undefined {
  const ending = /\.([a-z0-9]+)(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(endings, ending) ? endings[ending] : undefined;
}

/** Of an image without a known ending, only the kind is known. */
function anySubtype(mimeType: string): string {
  return mimeType.startsWith('image/') ? 'image/*' : mimeType;
}

function plain(text: unknown): Fields {
  return { type: 'text', text };
}

/** The fence is longer than any in the text. */
function codeBlock(text: unknown, language: unknown): Fields {
  if (typeof text !== 'string') return plain(text);
  return plain(fenced(text, typeof language === 'string' ? language : ''));
}

function event(text: unknown, what: string, parts: readonly unknown[]): Fields {
  if (typeof text === 'string' && text !== '') return plain(`[${what}] ${text}`);
  const words = parts.filter((part) => typeof part === 'string' && part !== '');
  return plain(`[${what}] ${words.join(' ')}`);
}

function asJson(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
