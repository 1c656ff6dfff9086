import { HubError } from '../base/hub-error.ts';
import { parseWith } from '../base/validate.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, colorsFor, printJson, printLine } from '../cli/terminal/context.ts';
import { count } from '../cli/terminal/progress-bar.ts';
import { UsageError } from '../cli/terminal/report-error.ts';
import { forTerminal, printableLine } from '../cli/terminal/text-width.ts';
import { DocumentRequest, partOf } from './document-part.ts';
import type { SearchMode, SearchRequest, SearchResult } from './search/search-request.ts';

export interface SearchCommandOptions extends ConfigOption {
  mode?: SearchMode;
  limit?: number;
  source?: string[];
  tag?: string[];
  since?: string;
  until?: string;
  explain?: boolean;
  json?: boolean;
}

/** `zoo search`. */
export function search(context: CliContext, words: readonly string[], options: SearchCommandOptions): Promise<void> {
  return withHub(context, options, async ({ knowledge }) => {
    const results = await knowledge.search(toRequest(words, options)).catch(throwWithOptionNames);
    if (options.json) return printJson(context, results);
    if (results.length > 0) return printResults(context, results);
    const { documents, embeddings } = await knowledge.stats();
    printLine(
      context,
      documents === 0 ? 'The knowledge base is empty. Run "zoo sync" to index your sources.' : 'No passages found.',
    );
    const known = (await knowledge.sources()).map(({ source }) => source);
    for (const source of options.source ?? []) {
      if (known.includes(source) || known.length === 0) continue;
      context.stderr.write(`zoo: Unknown source "${printableLine(source)}". Available: ${known.join(', ')}.\n`);
    }
    if (options.mode === 'keyword' || !('model' in embeddings) || embeddings.pending === 0) return;
    const { embedded, pending } = embeddings;
    context.stderr.write(
      `zoo: Only ${count(embedded)} of ${count(embedded + pending)} passages are embedded. Run "zoo embed pending" to embed the rest.\n`,
    );
  });
}

/** Renames filters in an error message to the options they came from. */
function throwWithOptionNames(error: unknown): never {
  if (!(error instanceof HubError) || error.code !== 'INVALID_ARGUMENTS') throw error;
  throw new UsageError(error.message.replaceAll(/\bfilters\.(\w+):/g, '--$1').replace(/^limit:/, '--limit'));
}

/** `zoo get`: prints the whole text and nothing else, so that it can be piped. */
export function getDocument(
  context: CliContext,
  id: string,
  options: ConfigOption & { json?: boolean; lines?: string; passage?: number; maxBytes?: number },
): Promise<void> {
  return withHub(context, options, async ({ knowledge }) => {
    const { lines, passage, maxBytes } = options;
    const request = parseWith(DocumentRequest, {
      id,
      ...(lines !== undefined && { lines }),
      ...(passage !== undefined && { passage }),
      ...(maxBytes !== undefined && { max_bytes: maxBytes }),
    });
    const document = await knowledge.get(id);
    const part = await partOf(document, { max_bytes: Number.MAX_SAFE_INTEGER, ...request }, () => knowledge.chunks(id));
    if (options.json) return printJson(context, part);
    const text = forTerminal(context, part.body);
    context.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
    if (part.note !== undefined) context.stderr.write(`zoo: ${printableLine(part.note)}\n`);
  });
}

function toRequest(words: readonly string[], options: SearchCommandOptions): SearchRequest {
  const { mode, limit, source, tag, since, until, explain } = options;
  return {
    query: words.join(' '),
    ...(mode && { mode }),
    ...(limit !== undefined && { limit }),
    ...(explain && { explain }),
    filters: {
      ...(source && { source }),
      ...(tag && { tags: tag }),
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
    },
  };
}

function printResults(context: CliContext, results: readonly SearchResult[]): void {
  const { bold, dim, cyan } = colorsFor(context);
  for (const [index, result] of results.entries()) {
    const { heading, start_line, end_line } = result.passage;
    const below = heading.filter((part) => part !== result.title);
    const where = `${result.source} ${result.source_id}:${start_line}-${end_line}`;
    printLine(
      context,
      `${index + 1}. ${bold(printableLine([result.title, ...below].join(' › ')))}  ${dim(result.score.toFixed(2))}`,
    );
    printLine(context, `   ${cyan(printableLine(where))}  ${dim(`${result.updated_at.slice(0, 10)}  ${result.id}`)}`);
    printLine(context, `   ${highlight(printableLine(result.snippet), bold)}`);
    for (const line of describeScore(result)) printLine(context, `   ${dim(line)}`);
    printLine(context);
  }
}

/** Shows matches in bold. Without colors, the ** marks stay. */
function highlight(snippet: string, bold: (text: string) => string): string {
  return bold('x') === 'x' ? snippet : snippet.replace(/\*\*(.+?)\*\*/g, (_whole, word: string) => bold(word));
}

function describeScore({ explain }: SearchResult): string[] {
  if (!explain) return [];
  const terms = explain.terms.map(({ term, score }) => `${term} ${score.toFixed(2)}`);
  const bonuses = Object.entries(explain.bonuses).map(([name, value]) => `${name} +${value.toFixed(2)}`);
  const parts = [
    explain.keyword === null ? '' : `keyword ${explain.keyword.toFixed(2)} = ${[...terms, ...bonuses].join(', ')}`,
    explain.semantic === null ? '' : `meaning ${explain.semantic.toFixed(3)}`,
  ];
  return [`${explain.mode}: ${parts.filter((part) => part !== '').join('; ')}`];
}
