import { createHash } from 'node:crypto';
import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import { isRecord } from '../base/is-record.ts';
import { defaultJsonLimits, parseJson } from '../base/json.ts';
import { fieldIssues } from '../base/validate.ts';
import type { ScanContext, ScannedItem } from '../knowledge/connector.ts';
import { startOfMoment } from '../knowledge/search/filter-documents.ts';
import { withLists } from './host/script-host.ts';
import type { LuaItem } from './sandbox/lua-job.ts';

/** Lua converts numbers to text wherever a text is needed, and so does this. */
const number = z.union([z.number(), z.bigint()]).transform(String);
const text = z.union([z.string(), number]);
const needed = (field: string) =>
  z.union([z.string().min(1, 'is empty'), number], {
    error: ({ input }) =>
      input === undefined ? `is missing. Every item needs a text in ${field}` : 'must be a text or a number',
  });
/** Context Harness ignores an optional field of another type. */
const optional = (maxCharacters: number) =>
  text
    .transform((value) => value.slice(0, maxCharacters))
    .optional()
    .catch(undefined);

/** A document from a script, with the field names of Context Harness. */
const Item = z.looseObject({
  source_id: needed('source_id').refine((id) => id.length <= 2_000, 'must have at most 2,000 characters'),
  body: needed('body'),
  title: optional(2_000),
  source: optional(200),
  source_url: optional(4_000),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  content_type: optional(200),
  author: optional(500),
  tags: z.array(z.string().min(1).max(200)).max(99).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  metadata_json: optional(1_000_000),
});
type Item = z.infer<typeof Item>;

interface ScanPlace {
  context: ScanContext;
  /** The ids of the items before this one. */
  seen: Set<string>;
  now: number;
}

/** Returns the document that a script describes. Reports an item without id or body by its name, and returns undefined. */
export function toScannedItem(found: LuaItem, { context, seen, now }: ScanPlace): ScannedItem | undefined {
  if ('error' in found) {
    context.fail(found.name ?? `item ${found.index}`, found.error);
    return undefined;
  }
  const raw = isRecord(found.value) ? withAliases(withLists(found.value, ['tags'])) : found.value;
  const result = Item.safeParse(raw);
  const id = isRecord(raw) ? text.safeParse(raw.source_id).data?.slice(0, 200) : undefined;
  const named = id || `item ${found.index}`;
  if (!result.success) {
    const rules = fieldIssues(result.error).map(({ path, message }) => (path ? `${path}: ${message}` : message));
    context.fail(named, rules.join('; '));
    return undefined;
  }
  const item = result.data;
  if (seen.has(item.source_id)) {
    context.fail(named, 'source_id: another document of this scan has the same id. The first one is used.');
    return undefined;
  }
  seen.add(item.source_id);
  return scanned(item, now);
}

/** Accepts `id` and `url`, the names in many published connectors. */
function withAliases({ id, url, ...raw }: Record<string, unknown>): Record<string, unknown> {
  return {
    ...raw,
    ...(raw.source_id === undefined && id !== undefined && { source_id: id }),
    ...(raw.source_url === undefined && url !== undefined && { source_url: url }),
  };
}

function scanned(item: Item, now: number): ScannedItem {
  const updatedAt = toTime(item.updated_at) ?? now;
  const createdAt = toTime(item.created_at);
  const metadata = {
    ...parsedMetadata(item.metadata_json),
    ...item.metadata,
    ...(item.author !== undefined && { author: item.author }),
    ...(createdAt !== undefined && { created_at: new Date(createdAt).toISOString() }),
    ...(item.source !== undefined && { source: item.source }),
  };
  const tags = [...(item.tags ?? []), ...(item.source === undefined ? [] : [`source:${item.source}`])];
  return {
    sourceId: item.source_id,
    // The sandbox sorts the keys of records, so equal items give equal text.
    version: createHash('sha256').update(JSON.stringify(item, bigintAsText)).digest('hex'),
    updatedAt,
    url: item.source_url ?? null,
    ...(item.title !== undefined && { title: item.title }),
    ...((item.tags || tags.length > 0) && { tags }),
    ...(Object.keys(metadata).length > 0 && { metadata: JSON.parse(JSON.stringify(metadata, bigintAsText)) }),
    ...(item.content_type !== undefined && { contentType: item.content_type }),
    read: async () => item.body,
  };
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** Returns the fields of a JSON object. Any other text is kept as it is. */
function parsedMetadata(json: string | undefined): Record<string, unknown> {
  if (json === undefined) return {};
  try {
    const value = parseJson(json, { ...defaultJsonLimits, keepsIntegers: true });
    if (isRecord(value)) return value;
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
  }
  return { metadata_json: json };
}

/**
 * Returns milliseconds, or undefined for a value that is not a time. A number is in seconds, unless it is so large that it must be in
 * milliseconds. A time without a zone is in UTC.
 */
function toTime(value: unknown): number | undefined {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()));
  const time = isNumber ? fromNumber(Number(value)) : typeof value === 'string' ? fromText(value) : Number.NaN;
  return Number.isFinite(time) && Math.abs(time) <= 8.64e15 ? time : undefined;
}

function fromNumber(value: number): number {
  return Math.round(Math.abs(value) < 1e11 ? value * 1_000 : value);
}

/** Reads ISO 8601, and the form of mails and feeds: "Sat, 31 Jan 2026 08:00:00 GMT". Date.parse would also guess at other texts. */
function fromText(value: string): number {
  return /^\d{4}-\d{2}-\d{2}|^[A-Z][a-z]{2}, \d/.test(value) ? startOfMoment(value) : Number.NaN;
}
