import { createHash } from 'node:crypto';
import { z } from 'zod';
import { toIso } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { fieldIssues, parseWith } from '../base/validate.ts';
import { type Connector, type ScanContext, type ScannedItem, SourceName } from './connector.ts';

/** A document that a connector in code yields. */
export interface ConnectorItem {
  /** The name inside the source: a path, a key, an id. Must not change, because it identifies the document. */
  sourceId: string;
  /** A text, the bytes of a file, or a function that reads them. The function is called only if `version` has changed. */
  body: string | Uint8Array | ((signal: AbortSignal) => Promise<string | Uint8Array>);
  /** Changes whenever the document changes. Required if `body` is a function; otherwise derived from the item. */
  version?: string;
  /** Default: the title found in the text. */
  title?: string;
  author?: string;
  url?: string;
  /** A date, an ISO 8601 text, or milliseconds since the epoch. Default: now. */
  updatedAt?: Date | string | number;
  createdAt?: Date | string | number;
  /** A MIME type, if `sourceId` does not end like a file name. */
  contentType?: string;
  tags?: string[];
  metadata?: Record<string, unknown>;
}

export interface ConnectorDefinition {
  /** The source is called `custom:NAME`. */
  name: string;
  /** Where the documents come from, for people to read. */
  location?: string;
  /**
   * Returns or yields every document of the source. A sync removes documents that are no longer among them, so it must throw if it
   * cannot see them all. `context.fail(sourceId, message)` reports a document that cannot be read and keeps its indexed version.
   */
  scan(context: ScanContext): AsyncIterable<ConnectorItem> | Iterable<ConnectorItem> | Promise<Iterable<ConnectorItem>>;
}

const notTime = 'must be a Date, an ISO 8601 text, or milliseconds since the epoch';
const Time = z.union([z.date(), z.string(), z.number()], notTime).transform((time, context) => {
  const at = new Date(time).getTime();
  if (Number.isNaN(at)) context.addIssue({ code: 'custom', message: notTime });
  return at;
});
const Body = z.custom<ConnectorItem['body']>(
  (value) => typeof value === 'string' || typeof value === 'function' || value instanceof Uint8Array,
  'must be a text, a Uint8Array, or a function that returns one of them',
);

const Item = z
  .strictObject({
    sourceId: z.string().min(1).max(2_000),
    body: Body,
    version: z.string().min(1).max(2_000).optional(),
    title: z.string().max(2_000).optional(),
    author: z.string().max(500).optional(),
    url: z.string().max(4_000).optional(),
    updatedAt: Time.optional(),
    createdAt: Time.optional(),
    contentType: z.string().max(200).optional(),
    tags: z.array(z.string().min(1).max(200)).max(100).optional(),
    metadata: z.record(z.string(), z.json()).optional(),
  })
  .refine(({ body, version }) => typeof body !== 'function' || version !== undefined, {
    path: ['version'],
    message: 'is required, because body is a function',
  });

const Definition = z.object({
  name: SourceName,
  location: z.string().max(2_000).default('code'),
  scan: z.custom<ConnectorDefinition['scan']>((value) => typeof value === 'function', 'must be a function'),
});

/** Defines a document source in TypeScript, for `createHub({ connectors })`. Throws INVALID_ARGUMENTS. */
export function defineConnector(definition: ConnectorDefinition): Connector {
  const what = `Connector "${String(definition.name).slice(0, 80)}"`;
  const { name, location, scan } = parseWith(Definition, definition, { what });
  return {
    type: 'custom',
    name,
    location,
    async *scan(context) {
      try {
        let position = 0;
        for await (const item of await scan(context)) {
          position += 1;
          const scanned = toScanned(item, { position, context });
          if (scanned) yield scanned;
        }
      } catch (error) {
        context.signal.throwIfAborted();
        if (error instanceof HubError) throw error;
        const message = error instanceof Error ? error.message : String(error);
        throw new HubError('TOOL_ERROR', `${what} failed: ${message}`, { cause: error });
      }
    },
  };
}

/** Reports an item that breaks a rule, with its name, the field and the rule. */
function toScanned(
  item: ConnectorItem,
  { position, context }: { position: number; context: ScanContext },
): ScannedItem | undefined {
  const result = Item.safeParse(item);
  if (!result.success) {
    const rules = fieldIssues(result.error).map(({ path, message }) => (path ? `${path}: ${message}` : message));
    context.fail(nameOf(item) ?? `item ${position}`, rules.join('; '));
    return undefined;
  }
  const { sourceId, body, url, title, tags, contentType, author, createdAt, updatedAt, version } = result.data;
  const metadata = {
    ...result.data.metadata,
    ...(author !== undefined && { author }),
    ...(createdAt !== undefined && { created_at: toIso(createdAt) }),
  };
  return {
    sourceId,
    version: version ?? hashOf(body, [title, url, contentType, tags, metadata, updatedAt]),
    updatedAt: updatedAt ?? Date.now(),
    url: url ?? null,
    ...(title !== undefined && { title }),
    ...(tags && { tags }),
    ...(contentType !== undefined && { contentType }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    read: async (signal) => (typeof body === 'function' ? body(signal) : body),
  };
}

function nameOf(item: unknown): string | undefined {
  const isNamed = typeof item === 'object' && item !== null && 'sourceId' in item && typeof item.sourceId === 'string';
  return isNamed ? (item.sourceId as string).slice(0, 200) || undefined : undefined;
}

function hashOf(body: z.output<typeof Body>, facts: readonly unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify(facts));
  return (typeof body === 'function' ? hash : hash.update(body)).digest('hex');
}
