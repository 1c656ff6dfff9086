import { createContext, useContext } from 'react';

/** The seeds of agents whose picture does not come from their id, by id. */
export const AppearanceSeeds = createContext<ReadonlyMap<string, string>>(new Map());

/** Collects the seeds of agents that have one. */
export function seedsOf(agents: readonly { id: string; appearanceSeed: string | null }[]): ReadonlyMap<string, string> {
  return new Map(agents.flatMap(({ id, appearanceSeed }) => (appearanceSeed === null ? [] : [[id, appearanceSeed]])));
}

/** Returns the text that determines an agent's picture. */
export function useAppearanceSeed(id: string): string {
  return useContext(AppearanceSeeds).get(id) ?? id;
}
