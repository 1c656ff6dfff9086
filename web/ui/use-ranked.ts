import { useMemo, useState } from 'react';
import { type Findable, rank } from './rank.ts';

/** Returns what makes a Base UI combobox search: the items that match what is typed, best first. */
export function useRanked<Item>(items: readonly Item[], findable: (item: Item) => Findable) {
  const [query, setQuery] = useState('');
  // Made anew only with the items, because ranking keeps what it has read.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function reads nothing but its item.
  const things = useMemo(() => items.map((item) => ({ ...findable(item), item })), [items]);
  const filteredItems = useMemo(() => rank(things, query).map(({ item }) => item), [things, query]);
  return { items, filteredItems, onInputValueChange: setQuery };
}
