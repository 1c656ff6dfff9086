import { HubError } from '../base/hub-error.ts';
import type { ContentBlock } from '../tools/content.ts';
import { encloseText, newBoundary } from '../tools/outside-text.ts';
import type { Agent } from './agent.ts';
import type { AgentPrompt } from './agent-prompt.ts';
import type { ContextItem } from './context.contract.ts';

/** A file or page that an agent may name. */
export interface ContextSource {
  /** Set for a page: its own address. The hub serves a file as a resource. */
  url?: string;
  mimeType?: string;
  /** Throws a HubError with a message for users. */
  read(signal: AbortSignal): Promise<ContextText>;
}

export interface ContextText {
  text: string;
  /** An estimate. */
  tokens: number;
}

/** Finds what context references name. */
export interface ContextReader {
  /** Throws a HubError, with a message for users, for a file that is missing or outside the allowed folders. */
  find(ref: string): Promise<ContextSource>;
}

export type ContextAgent = Pick<Agent, 'id' | 'contextRefs' | 'contextBudget'>;

export interface DeliveredContext {
  items: ContextItem[];
  /** The texts of embedded items, by their position in `items`. */
  texts: ReadonlyMap<number, string>;
  /** Where embedded text from outside comes from. */
  outside: string[];
}

/** For all references of an agent together. A client waits for its prompt. */
const readingMs = 15_000;
const readAtOnce = 8;

/** The address of a file that an agent names. Only the references of the agent can be read there. */
function contextUri(agentId: string, ref: string): string {
  return `agent-zoo://agents/${agentId}/context/${encodeURIComponent(ref)}`;
}

/**
 * Reads an agent's references and embeds them in order, as long as they fit into its token budget. What does not fit becomes a link.
 * A reference that cannot be read is not an error: its item says why.
 */
export async function deliverContext(
  agent: ContextAgent,
  { reader, signal }: { reader: ContextReader; signal: AbortSignal },
): Promise<DeliveredContext> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(readingMs)]);
  const read = await readInOrder(agent, reader, inTime);
  signal.throwIfAborted();
  const items: ContextItem[] = [];
  const texts = new Map<number, string>();
  const outside: string[] = [];
  let left = agent.contextBudget;
  for (const [index, { ref, source, content, problem }] of read.entries()) {
    const uri = source?.url ?? contextUri(agent.id, ref);
    const item = { ref, uri, ...(source?.mimeType && { mimeType: source.mimeType }), tokens: content?.tokens ?? null };
    if (!source) {
      items.push({ ...item, delivery: 'missing', note: problem ?? 'It cannot be read.' });
    } else if (content && content.tokens <= left) {
      left -= content.tokens;
      items.push({ ...item, delivery: 'embedded' });
      texts.set(index, content.text);
      if (source.url !== undefined) outside.push(`the page ${source.url}`);
    } else {
      items.push({ ...item, delivery: 'link', note: problem ?? whyLink(agent.contextBudget, content, left) });
    }
  }
  return { items, texts, outside };
}

type ResourceLink = Extract<ContentBlock, { type: 'resource_link' }>;

/** Returns the links for clients that can open them. */
export function contextLinks(items: readonly ContextItem[] = []): ResourceLink[] {
  return items
    .filter(({ delivery }) => delivery === 'link')
    .map(({ ref, uri, mimeType }) => ({
      type: 'resource_link',
      uri,
      name: nameOf(ref),
      title: ref,
      ...(mimeType && { mimeType }),
    }));
}

/** Returns a sentence for each reference that leads nowhere. */
export function contextWarnings(items: readonly ContextItem[] = []): string[] {
  return items
    .filter(({ delivery }) => delivery === 'missing')
    .map(({ ref, note }) => `The context reference "${ref}" was left out. ${note}`);
}

interface ReadRef {
  ref: string;
  /** Undefined if the reference leads nowhere. */
  source?: ContextSource;
  content?: ContextText;
  problem?: string;
}

/** Reads a few at once, and no more once the budget is used up. */
async function readInOrder(agent: ContextAgent, reader: ContextReader, signal: AbortSignal): Promise<ReadRef[]> {
  const done: ReadRef[] = [];
  let left = agent.contextBudget;
  for (let from = 0; from < agent.contextRefs.length; from += readAtOnce) {
    const isReading = left > 0;
    const batch = agent.contextRefs.slice(from, from + readAtOnce);
    for (const each of await Promise.all(batch.map((ref) => readOne(ref, { reader, signal, isReading })))) {
      if (each.content && each.content.tokens <= left) left -= each.content.tokens;
      done.push(each);
    }
  }
  return done;
}

async function readOne(
  ref: string,
  { reader, signal, isReading }: { reader: ContextReader; signal: AbortSignal; isReading: boolean },
): Promise<ReadRef> {
  let source: ContextSource | undefined;
  try {
    source = await reader.find(ref);
    return isReading ? { ref, source, content: await source.read(signal) } : { ref, source };
  } catch (error) {
    const problem =
      error instanceof HubError ? error.message : signal.aborted ? 'It took too long to read.' : undefined;
    if (problem === undefined) throw error;
    return { ref, ...(source && { source }), problem };
  }
}

function whyLink(budget: number, content: ContextText | undefined, left: number): string {
  if (budget === 0) return 'The token budget is 0.';
  if (!content) return 'The token budget was already used up.';
  return `It has about ${format(content.tokens)} tokens; ${format(left)} of ${format(budget)} were left.`;
}

/** Adds an agent's context to its prompt, after the system prompt. */
export async function addContext(
  agent: ContextAgent,
  prompt: AgentPrompt,
  options: { reader: ContextReader | undefined; signal: AbortSignal },
): Promise<AgentPrompt> {
  const { reader, signal } = options;
  if (agent.contextRefs.length === 0 || !reader) return prompt;
  const context = await deliverContext(agent, { reader, signal });
  const section = contextSection(context);
  const outside = [...new Set([...(prompt.outside ?? []), ...context.outside])];
  return {
    ...prompt,
    system: joinSections(prompt.system, section),
    context: context.items,
    ...(outside.length > 0 && { outside }),
  };
}

export function joinSections(system: string, section: string): string {
  if (section === '') return system;
  return system === '' ? section : `${system}\n\n---\n\n${section}`;
}

/** Returns the text for the prompt, or '' if nothing can be delivered. Text of pages is marked as written by others. */
export function contextSection({ items, texts }: Pick<DeliveredContext, 'items' | 'texts'>): string {
  const embedded = items.flatMap(({ ref, uri }, index) => {
    const text = texts.get(index);
    if (text === undefined) return [];
    const isPage = !uri.startsWith('agent-zoo:');
    return [`### ${ref}\n\n${isPage ? encloseText(text, { source: uri, boundary: newBoundary() }) : text.trim()}`];
  });
  const links = items
    .filter(({ delivery }) => delivery === 'link')
    .map(({ ref, uri }) => (ref === uri ? `- ${uri}` : `- ${ref}: ${uri}`));
  if (embedded.length === 0 && links.length === 0) return '';
  return [
    '## Context',
    ...embedded,
    ...(links.length === 0 ? [] : [`Not included here; read them when you need them:\n${links.join('\n')}`]),
  ].join('\n\n');
}

function nameOf(ref: string): string {
  return ref.split(/[\\/]/).findLast((part) => part !== '') ?? ref;
}

function format(tokens: number): string {
  return tokens.toLocaleString('en');
}
