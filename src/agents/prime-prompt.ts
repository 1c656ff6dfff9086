import { HubError } from '../base/hub-error.ts';
import type { KnowledgeReader } from '../knowledge/knowledge.ts';
import type { SearchResult } from '../knowledge/search/search-request.ts';
import { outsideSourceOf } from '../knowledge/untrusted.ts';
import { encloseText, newBoundary } from '../tools/outside-text.ts';
import type { Agent, KnowledgeQuery } from './agent.ts';
import { type AgentPrompt, fillArguments, type PromptArguments } from './agent-prompt.ts';
import { joinSections } from './deliver-context.ts';
import type { Priming } from './prompts.contract.ts';

export interface PrimeOptions {
  args: PromptArguments;
  knowledge: KnowledgeReader | undefined;
  signal: AbortSignal;
}

/** Adds the passages that an agent is primed with to the end of its system prompt. */
export async function primePrompt(agent: Agent, prompt: AgentPrompt, options: PrimeOptions): Promise<AgentPrompt> {
  if (agent.knowledge.length === 0) return prompt;
  const primings = await findPassages(agent, options);
  const section = primedSection(primings);
  if (section === '') return prompt;
  const found = primings.flatMap(({ passages }) => passages.flatMap((passage) => outsideSourceOf(passage) ?? []));
  const outside = [...new Set([...(prompt.outside ?? []), ...found])];
  return {
    ...prompt,
    system: joinSections(prompt.system, section),
    ...(outside.length > 0 && { outside }),
  };
}

/** Runs the agent's searches. A passage found by two of them appears once. Throws as `search` does. */
export async function findPassages(
  agent: Pick<Agent, 'arguments' | 'knowledge'>,
  { args, knowledge, signal }: PrimeOptions,
): Promise<Priming[]> {
  if (!knowledge)
    throw new HubError('UNAVAILABLE', 'The agent cannot be primed, because there is no knowledge base.', {
      details: { retryable: false },
    });
  const seen = new Set<string>();
  const primings: Priming[] = [];
  for (const query of agent.knowledge) {
    const words = fillArguments(agent, args, query.query, () => ' ')
      .replace(/\s+/g, ' ')
      .trim();
    const found = words === '' ? [] : await knowledge.search(toRequest(query, words), { signal });
    const passages = found.filter(({ id, passage }) => {
      const key = `${id} ${passage.ordinal}`;
      return !seen.has(key) && seen.add(key);
    });
    primings.push({ query, words, passages });
  }
  return primings;
}

function toRequest({ source, tags, mode, limit }: KnowledgeQuery, words: string) {
  const filters = { ...(source !== null && { source }), ...(tags.length > 0 && { tags }) };
  return { query: words, limit, filters, ...(mode !== null && { mode }) };
}

/** Returns the text to append to the system prompt, with the source of each passage, or '' if nothing was found. */
export function primedSection(primings: readonly Priming[]): string {
  const passages = primings.flatMap((priming) => priming.passages).map(describePassage);
  if (passages.length === 0) return '';
  return [
    '## Knowledge',
    'Passages found for this conversation. Name the source when you rely on one.',
    ...passages,
  ].join('\n\n');
}

function describePassage(result: SearchResult): string {
  const { title, source, source_id, version, updated_at, passage } = result;
  const { heading, start_line, end_line, text } = passage;
  const below = heading.filter((part) => part !== title);
  const lines = `${start_line}–${end_line}`;
  const shown = `### ${[title, ...below].join(' › ')}\nSource: ${source} ${source_id}, lines ${lines}, version ${version.slice(0, 8)}, changed ${updated_at.slice(0, 10)}\n\n${text.trim()}`;
  const outside = outsideSourceOf(result);
  return outside === undefined ? shown : encloseText(shown, { source: outside, boundary: newBoundary() });
}
