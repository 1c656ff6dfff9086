import { z } from 'zod';

export const SearchMode = z.enum(['keyword', 'semantic', 'hybrid']);
export type SearchMode = z.infer<typeof SearchMode>;

/** A date or a time: `2026-01-31`, `2026-01-31T08:00:00Z`. */
export const Moment = z
  .string()
  .max(40)
  .refine(
    (value) => /^\d{4}-\d{2}-\d{2}/.test(value) && !Number.isNaN(Date.parse(value)),
    'must be a date, such as 2026-01-31',
  );
const oneOrMore = (item: z.ZodString) =>
  z.union([item, z.array(item).max(100)]).transform((value) => (Array.isArray(value) ? value : [value]));

export const SearchFilters = z.strictObject({
  source: oneOrMore(z.string().min(1).max(200))
    .optional()
    .describe(
      'Only documents of this source: `git:runbooks`, the name `runbooks`, or the type `git`. With several, documents of any of them.',
    ),
  since: Moment.optional().describe('Only documents changed at or after this time.'),
  until: Moment.optional().describe(
    'Only documents changed at or before this time. A date without a time includes that whole day.',
  ),
  tags: oneOrMore(z.string().min(1).max(200)).optional().describe('Only documents with at least one of these tags.'),
});
export type SearchFilters = z.infer<typeof SearchFilters>;

const maxResults = 100;

const fields = z.strictObject({
  query: z
    .string()
    .max(10_000)
    .describe(
      'Words to look for, or a question. Passages with a "quoted phrase" rank higher; write +"quoted phrase" to require it.',
    ),
  mode: SearchMode.optional().describe(
    'How to search: by words (keyword), by meaning (semantic), or both (hybrid). Default: hybrid if embeddings are set up, otherwise keyword.',
  ),
  limit: z
    .int()
    .transform((limit) => Math.min(Math.max(limit, 1), maxResults))
    .optional()
    .describe(
      `The maximum number of documents, at most ${maxResults}. Default: [retrieval] final_limit, which is 12 unless changed.`,
    ),
  source: SearchFilters.shape.source.describe('The same as `source` in `filters`.'),
  filters: SearchFilters.optional(),
  explain: z.boolean().optional().describe('Explain each score.'),
});

const Request = fields.transform(({ source, ...request }, context) => {
  if (source === undefined) return request;
  if (request.filters?.source !== undefined) {
    const message = 'is also in filters. Name it once.';
    context.addIssue({ code: 'custom', path: ['source'], message });
  }
  return { ...request, filters: { ...request.filters, source } };
});

/** The input of a search on every surface. A null counts as a field that was left out. */
export const SearchRequest = z.preprocess(withoutNulls, Request) as z.ZodType<
  z.output<typeof Request>,
  // `preprocess` accepts anything, but callers send the fields.
  z.input<typeof Request>
>;
export type SearchRequest = z.input<typeof SearchRequest>;
/** A parsed request. */
export type CheckedSearch = z.output<typeof SearchRequest>;

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const given = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(given.map(([name, each]) => [name, name === 'filters' ? withoutNulls(each) : each]));
}

/** A matching document with its best passage. */
export const SearchResult = z.object({
  id: z.string().describe('The id of the document, for `get`.'),
  score: z.number().describe('From 0 to 1 within one search; the best result has 1.'),
  title: z.string(),
  source: z.string(),
  source_id: z.string().describe('The path or name inside the source.'),
  source_url: z.string().nullable(),
  updated_at: z.string().describe('ISO 8601.'),
  snippet: z.string().describe('The matching part of the passage, with matching words between ** and **.'),
  passage: z.object({
    text: z.string(),
    heading: z.array(z.string()),
    start_line: z.int(),
    end_line: z.int(),
    ordinal: z.int(),
  }),
  version: z.string().describe('SHA-256 of the document when it was indexed.'),
  age_seconds: z.int().describe('Seconds since the document was changed.'),
  tags: z.array(z.string()),
  explain: z
    .object({
      mode: SearchMode,
      keyword: z.number().nullable().describe('The BM25 score after rescoring, before scaling.'),
      semantic: z.number().nullable().describe('Cosine similarity.'),
      terms: z.array(z.object({ term: z.string(), tf: z.number(), idf: z.number(), score: z.number() })),
      bonuses: z.record(z.string(), z.number()).describe('What each rescoring rule added.'),
    })
    .optional(),
});
export type SearchResult = z.infer<typeof SearchResult>;
