import { analyseCharacters, analyseWord, isStopWord } from '../knowledge/index/analyse.ts';
import { scanWords, word } from '../knowledge/index/scan-words.ts';
import type { Agent } from './agent.ts';
import { byPriority, countForMessage, inSystemPrompt, type PromptItem } from './prompt-item.ts';

/** A rule or reference that a message brings into its conversation. */
export interface MessageItem {
  /** `rule:NAME` or `ref:NAME`, as in a mention. */
  uri: string;
  text: string;
}

type Items = Pick<Agent, 'rules' | 'references'>;

/**
 * Returns the rules and references for a message: those that it names with `@rule:NAME` or `@ref:NAME`, and of those with
 * `include: agent` the ones that fit it best. References come first. Items in the system prompt are not repeated. A mention of an
 * unknown item becomes a note, so that the model can say so.
 */
export function itemsForMessage(
  agent: Items & Pick<Agent, 'modelSettings'>,
  message: { text: string; mentionsIn?: string | undefined },
): MessageItem[] {
  const items = knownItems(agent);
  const { found, unknown } = mentionedItems(items, message.mentionsIn ?? message.text);
  const isKnown = inSystemPrompt(agent, { isConversation: true });
  const offered = items.filter((known) => known.item.include === 'agent' && !isKnown(known.item) && !found.has(known));
  const chosen = new Set([...found, ...mostRelevant(offered, message.text, countForMessage(agent))]);
  return [
    ...items
      .filter((known) => !isKnown(known.item) && chosen.has(known))
      .map(({ kind, item }) => ({ uri: `${kind}:${item.name}`, text: item.text.trim() })),
    ...unknown,
  ];
}

/** Returns the mentions in a text that name no rule or reference of the agent, each with the reason. */
export function unknownMentions(agent: Items, text: string): MessageItem[] {
  return mentionedItems(knownItems(agent), text).unknown;
}

interface KnownItem {
  kind: 'rule' | 'ref';
  item: PromptItem;
}

function knownItems({ rules, references }: Items): KnownItem[] {
  return [
    ...byPriority(references).map((item) => ({ kind: 'ref' as const, item })),
    ...byPriority(rules).map((item) => ({ kind: 'rule' as const, item })),
  ];
}

const mention = /@(rule|ref):([\w-]*)/g;
const maxUnknown = 10;

/** A name may contain other characters than a mention ends with, so the longest known name that follows wins. */
function mentionedItems(items: readonly KnownItem[], text: string): { found: Set<KnownItem>; unknown: MessageItem[] } {
  const found = new Set<KnownItem>();
  const unknown = new Map<string, MessageItem>();
  if (items.length === 0) return { found, unknown: [] };
  const longestFirst = items.toSorted((one, other) => other.item.name.length - one.item.name.length);
  for (const { 0: whole, 1: kind = '', 2: written = '', index } of text.matchAll(mention)) {
    const from = index + whole.length - written.length;
    const known = longestFirst.find((each) => each.kind === kind && isNameAt(text, from, each.item.name));
    if (known) found.add(known);
    else if (written !== '' && unknown.size < maxUnknown) unknown.set(whole, unknownItem(items, kind, written));
  }
  return { found, unknown: [...unknown.values()] };
}

function isNameAt(text: string, from: number, name: string): boolean {
  return text.startsWith(name, from) && !/^[\w-]/.test(text.charAt(from + name.length));
}

function unknownItem(items: readonly KnownItem[], kind: string, written: string): MessageItem {
  const names = items.filter((each) => each.kind === kind).map(({ item }) => item.name);
  const what = kind === 'rule' ? 'rule' : 'reference';
  const available = names.length === 0 ? `It has no ${what}s.` : `Available: ${names.slice(0, 20).join(', ')}.`;
  return { uri: `${kind}:${written}`, text: `This agent has no ${what} "${written}". ${available}` };
}

/** Returns up to `count` items that share words with the text. Those win that contain the most and the rarest of its words. */
function mostRelevant(items: readonly KnownItem[], text: string, count: number): readonly KnownItem[] {
  const wanted = new Set(termsOf(text.replace(mention, ' ')).filter((term) => !isStopWord(term)));
  const rarity = new Map(
    [...wanted].map((term) => {
      const containing = items.filter(({ item }) => countsOf(item).has(term)).length;
      return [term, Math.log(1 + items.length / Math.max(containing, 1))];
    }),
  );
  const score = ({ item }: KnownItem) => {
    let sum = 0;
    for (const [term, weight] of rarity) {
      const times = countsOf(item).get(term) ?? 0;
      sum += weight * (times / (times + 1));
    }
    return sum;
  };
  const scored = items.map((known) => ({ known, score: score(known) }));
  return scored
    .filter((each) => each.score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, count)
    .map(({ known }) => known);
}

/** The words of each item. An agent keeps its items until it changes. */
const knownCounts = new WeakMap<PromptItem, ReadonlyMap<string, number>>();

function countsOf(item: PromptItem): ReadonlyMap<string, number> {
  const known = knownCounts.get(item);
  if (known) return known;
  const counts = new Map<string, number>();
  for (const term of termsOf(`${item.name} ${item.description} ${item.text}`))
    counts.set(term, (counts.get(term) ?? 0) + 1);
  knownCounts.set(item, counts);
  return counts;
}

function termsOf(text: string): string[] {
  const terms: string[] = [];
  scanWords(text, (start, end, kind) => {
    const token = text.slice(start, end);
    if (kind <= word) terms.push(...analyseWord(token).words);
    else terms.push(analyseCharacters(token));
  });
  return terms;
}
