import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import { ignoring } from '../base/contract-fields.ts';
import { BrainEntry, BrainEntryChange, BrainEntryType, NewBrainEntry } from './brain.ts';

export const BrainBody = z.object({ agentId: z.string(), entries: z.array(BrainEntry) });
export const DeletedEntryBody = z.object({ success: z.boolean(), entryId: z.string() });

/** The fields that identify an entry. A change may contain them; they are ignored. */
export const identifyingFields = ['id', 'agentId', 'timestamp'];

export const EntrySubmission = ignoring(identifyingFields, BrainEntryChange);

const entry = { right: 'administer', answer: 'The entry.', output: BrainEntry } as const;

/** Bodies are passed on unchecked: each write is a call to a brain tool, which the pipeline permits, validates and logs. */
export const brainContract = defineContract('Brain', {
  'GET /api/agents/{id}/brain': {
    right: 'administer',
    summary: "List an agent's brain entries",
    description: 'Newest first.',
    query: z.strictObject({
      type: BrainEntryType.optional(),
      tags: z.string().max(4_000).optional().describe('Comma-separated tags. Returns entries with any of them.'),
      pinned: z.enum(['true', 'false']).optional(),
      dateFrom: z.string().max(64).optional().describe('An ISO 8601 date or time.'),
      dateTo: z
        .string()
        .max(64)
        .optional()
        .describe('An ISO 8601 date or time. A date without a time includes that whole day.'),
    }),
    answer: 'The entries.',
    output: BrainBody,
    errors: [400, 404],
  },
  'POST /api/agents/{id}/brain': {
    ...entry,
    isToolCall: true,
    summary: 'Add a brain entry',
    body: NewBrainEntry,
    isBodyPassedOn: true,
    example: { type: 'decision', content: 'We use SQLite.', tags: ['storage'] },
    status: 201,
    answer: 'The new entry.',
    errors: [400, 404],
  },
  'GET /api/agents/{id}/brain/{entryId}': { ...entry, summary: 'Read a brain entry', errors: [404] },
  'PUT /api/agents/{id}/brain/{entryId}': {
    ...entry,
    isToolCall: true,
    summary: 'Change a brain entry',
    description: 'Fields you leave out keep their values. id, agentId and timestamp are ignored.',
    body: EntrySubmission,
    isBodyPassedOn: true,
    example: { content: 'We use SQLite, in WAL mode.' },
    errors: [400, 404],
  },
  'DELETE /api/agents/{id}/brain/{entryId}': {
    right: 'administer',
    isToolCall: true,
    summary: 'Delete a brain entry',
    answer: 'The entry was deleted.',
    output: DeletedEntryBody,
    errors: [404],
  },
  'PATCH /api/agents/{id}/brain/{entryId}/pin': {
    ...entry,
    isToolCall: true,
    summary: 'Pin or unpin a brain entry',
    description: 'Without a body, toggles the pin.',
    body: z.strictObject({ pinned: z.boolean().optional() }),
    isBodyOptional: true,
    example: { pinned: true },
    errors: [400, 404],
  },
});
