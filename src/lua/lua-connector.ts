import { createHash } from 'node:crypto';
import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import { fieldIssues } from '../base/validate.ts';
import { isTable } from '../config/read-config.ts';
import type { ScriptSection } from '../config/script-sections.ts';
import type { Connector, ScanContext, ScannedItem } from '../knowledge/connector.ts';
import { hostFor, jobOf, type ScriptParts, withLists } from './host/script-host.ts';

/** A document from a script, with the field names of Context Harness. */
const Item = z.looseObject({
  source_id: z.string().min(1).max(2_000),
  title: z.string().max(2_000).optional(),
  body: z.string(),
  source_url: z.string().max(4_000).optional(),
  updated_at: z.union([z.string().max(60), z.number()]).optional(),
  content_type: z.string().max(200).optional(),
  author: z.string().max(500).optional(),
  tags: z.array(z.string().min(1).max(200)).max(100).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
type Item = z.infer<typeof Item>;

/** `[connectors.script.NAME]`: a source whose documents `connector.scan(config)` returns. */
export function luaConnector(
  section: ScriptSection,
  { sandbox, host, isTrusted }: ScriptParts & { isTrusted?: () => Promise<boolean> },
): Connector {
  return {
    type: 'script',
    name: section.name,
    location: section.shown,
    async *scan(context) {
      if (isTrusted && !(await isTrusted())) {
        throw new HubError(
          'UNAVAILABLE',
          `${section.shown} has changed since you trusted it. Run "zoo trust" in its folder to see the difference and to allow it.`,
        );
      }
      const returned = await sandbox.run({
        ...jobOf({ section, table: 'connector' }),
        call: { name: 'scan', args: [{ data: section.config }] },
        signal: context.signal,
        host: hostFor(host, section),
      });
      const seen = new Set<string>();
      for (const [index, raw] of listOf(returned, section).entries()) {
        const item = toItem(raw, { index, context, seen, now: host.clock.now() });
        if (item) yield item;
      }
    },
  };
}

/** Accepts a list, or `{ items = … }`. */
function listOf(returned: unknown, { shown }: ScriptSection): unknown[] {
  const list = isTable(returned) && returned.items !== undefined ? returned.items : returned;
  if (Array.isArray(list)) return list;
  if (isTable(list) && Object.keys(list).length === 0) return [];
  throw new HubError(
    'TOOL_ERROR',
    `${shown}: connector.scan must return a list of items, { { source_id = …, body = … } }.`,
  );
}

interface ItemPlace {
  index: number;
  context: ScanContext;
  seen: Set<string>;
  now: number;
}

function toItem(raw: unknown, { index, context, seen, now }: ItemPlace): ScannedItem | undefined {
  const named = isTable(raw) && typeof raw.source_id === 'string' ? raw.source_id.slice(0, 200) : `item ${index + 1}`;
  const result = Item.safeParse(isTable(raw) ? withLists(raw, ['tags']) : raw);
  if (!result.success) {
    context.fail(
      named,
      fieldIssues(result.error)
        .map(({ path, message }) => `${path}: ${message}`)
        .join('; '),
    );
    return undefined;
  }
  const item = result.data;
  const updatedAt = toTime(item.updated_at, now);
  if (updatedAt === undefined) {
    context.fail(named, 'updated_at: must be a date such as 2026-01-31T08:00:00Z, or seconds since 1970.');
    return undefined;
  }
  if (seen.has(item.source_id)) {
    context.fail(named, 'source_id: another document of this scan has the same id. The first one is used.');
    return undefined;
  }
  seen.add(item.source_id);
  return scanned(item, updatedAt);
}

function scanned(item: Item, updatedAt: number): ScannedItem {
  const metadata = { ...item.metadata, ...(item.author !== undefined && { author: item.author }) };
  return {
    sourceId: item.source_id,
    // The sandbox sorts the keys of records, so equal items give equal text.
    version: createHash('sha256').update(JSON.stringify(item)).digest('hex'),
    updatedAt,
    url: item.source_url ?? null,
    ...(item.title !== undefined && { title: item.title }),
    ...(item.tags && { tags: item.tags }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(item.content_type !== undefined && { contentType: item.content_type }),
    read: async () => item.body,
  };
}

/** Returns milliseconds. A number is in seconds, unless it is so large that it must be in milliseconds. */
function toTime(value: string | number | undefined, now: number): number | undefined {
  if (value === undefined) return now;
  const time =
    typeof value === 'string' ? Date.parse(value) : Math.round(Math.abs(value) < 1e11 ? value * 1_000 : value);
  return Number.isFinite(time) && Math.abs(time) <= 8.64e15 ? time : undefined;
}
