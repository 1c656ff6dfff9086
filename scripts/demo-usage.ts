import type { Hub } from '../src/index.ts';
import { type Budget, budgetPrefix } from '../src/usage/budgets.ts';
import { bucketOf, hourMs, type UsageEntry } from '../src/usage/usage.ts';

/** Adds the model calls of two weeks whose runs are gone, and budgets that are far from used up, nearly used up and used up. */
export async function addUsage({ store }: Pick<Hub, 'store'>): Promise<void> {
  const thisHour = Math.floor(Date.now() / hourMs);
  const entries = Array.from({ length: 14 * 24 }, (_, index) => index + keptHours)
    .filter((ago) => (thisHour - ago) % 24 > 7 && (thisHour - ago) % 24 < 19)
    .flatMap((ago) =>
      spenders.map((spender, index) => entryOf(spender, { hour: thisHour - ago, wave: ago * 7 + index * 3 })),
    );
  await store.usage.add(entries);
  for (const [id, budget] of Object.entries(budgets)) await store.settings.write(`${budgetPrefix}${id}`, budget);
}

/** The hub keeps runs for a day, and counts the calls of these itself. */
const keptHours = 27;

interface DemoSpender extends Pick<UsageEntry, 'agentId' | 'client' | 'memberId' | 'model'> {
  /** US dollars for a million tokens; null if unknown. */
  price: number | null;
  seconds: number;
}

const spenders: readonly DemoSpender[] = [
  { agentId: 'incident-responder', client: '', memberId: '', model: 'office/zebra-large', price: 4, seconds: 6 },
  { agentId: 'code-reviewer', client: 'Laptop', memberId: '', model: 'office/zebra-large', price: 4, seconds: 9 },
  { agentId: 'writer', client: 'CI', memberId: 'writer-1', model: 'office/zebra-code', price: null, seconds: 3 },
  { agentId: '', client: 'CI', memberId: 'tester-1', model: 'office/zebra-small', price: 0.4, seconds: 1.5 },
];

function entryOf(
  { price, seconds, ...spender }: DemoSpender,
  { hour, wave }: { hour: number; wave: number },
): UsageEntry {
  const calls = 3 + (wave % 11);
  const inputTokens = calls * (2_400 + (wave % 5) * 350);
  const outputTokens = calls * (180 + (wave % 7) * 30);
  return {
    ...spender,
    hour,
    bucket: bucketOf(seconds * 1_000 * (1 + (wave % 4) / 4)),
    calls,
    errors: wave % 9 === 0 ? 2 : 0,
    unpriced: price === null ? calls : 0,
    inputTokens,
    outputTokens,
    cachedTokens: 0,
    reasoningTokens: 0,
    cost: ((price ?? 0) * (inputTokens + outputTokens)) / 1_000_000,
  };
}

const budgets: Readonly<Record<string, Budget>> = {
  month: { scope: { kind: 'hub' }, period: 'month', unit: 'cost', limit: 100, action: 'stop' },
  reviews: {
    scope: { kind: 'agent', id: 'code-reviewer' },
    period: 'month',
    unit: 'tokens',
    limit: 4_800_000,
    action: 'warn',
  },
  writer: {
    scope: { kind: 'member', id: 'writer-1' },
    period: 'month',
    unit: 'tokens',
    limit: 1_500_000,
    action: 'warn',
  },
};
