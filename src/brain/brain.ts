import { z } from 'zod';
import { AgentId } from '../agents/agent.ts';
import { text } from '../agents/text-fields.ts';

export const BrainEntryType = z.enum(['decision', 'milestone', 'note', 'summary']);
export type BrainEntryType = z.infer<typeof BrainEntryType>;

/** Characters. */
export const maxContent = 100_000;
const content = text(maxContent).refine((value) => value.trim() !== '', 'must not be empty');
const tags = z.array(text(64).min(1)).max(50);
const metadata = z.record(z.string().max(128), z.json());

export const BrainEntry = z.strictObject({
  id: z.string(),
  agentId: AgentId,
  type: BrainEntryType,
  content,
  /** ISO 8601. */
  timestamp: z.iso.datetime(),
  pinned: z.boolean(),
  tags,
  metadata,
});
export type BrainEntry = z.infer<typeof BrainEntry>;

export const NewBrainEntry = z.strictObject({
  type: BrainEntryType,
  content,
  tags: tags.optional(),
  pinned: z.boolean().optional(),
  metadata: metadata.optional(),
});
export type NewBrainEntry = z.infer<typeof NewBrainEntry>;

/** Omitted fields keep their values. */
export const BrainEntryChange = NewBrainEntry.partial();
export type BrainEntryChange = z.infer<typeof BrainEntryChange>;

const moment = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()], {
  error: 'must be a date or a time, such as 2026-11-15 or 2026-11-15T09:30:00Z',
});

export const BrainQuery = z.strictObject({
  type: BrainEntryType.optional(),
  /** Matches entries with any of these tags. */
  tags: tags.optional(),
  dateFrom: moment.optional(),
  /** A date without a time means the whole day. */
  dateTo: moment.optional(),
  pinned: z.boolean().optional(),
});
export type BrainQuery = z.infer<typeof BrainQuery>;

/** An entry that an import brings along. Without an id or a time, it gets new ones. */
export interface CarriedEntry extends Omit<BrainEntry, 'id' | 'agentId' | 'timestamp'> {
  id: string | undefined;
  at: number | undefined;
}

/** The entries of agents, by agent id. All processes see every change. */
export interface BrainStore {
  create(agentId: string, entry: NewBrainEntry): Promise<BrainEntry>;
  /** Returns undefined if the agent has no such entry. */
  get(agentId: string, entryId: string): Promise<BrainEntry | undefined>;
  update(agentId: string, entryId: string, change: BrainEntryChange): Promise<BrainEntry | undefined>;
  delete(agentId: string, entryId: string): Promise<boolean>;
  /** Newest first. */
  query(agentId: string, query: BrainQuery): Promise<BrainEntry[]>;
}
