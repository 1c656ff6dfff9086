import { useMemo } from 'react';
import { createStoredList } from '../../ui/stored-list.ts';

const favourites = createStoredList('favourite-agents', (value): value is string => typeof value === 'string');

/** The ids of the agents that are favourites in this browser. */
export function useFavourites(): ReadonlySet<string> {
  const ids = favourites.use();
  return useMemo(() => new Set(ids), [ids]);
}

export function setFavourite(id: string, isFavourite: boolean): void {
  const others = favourites.read().filter((each) => each !== id);
  favourites.save(isFavourite ? [...others, id] : others);
}
