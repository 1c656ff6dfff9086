/**
 * What a caller may do, and what an operation or tool needs; each right includes those before it. `none`: nothing is needed, as for
 * signing in. `use`: lists, prompts, searches and memory, which cost nothing and stay inside the hub. `work`: anything that
 * spends money or reaches other systems. `administer`: anything that defines, connects, pays, restores or deletes.
 */
export const rights = ['none', 'use', 'work', 'administer'] as const;
export type Right = (typeof rights)[number];

export function hasRight(held: Right, needed: Right): boolean {
  return rights.indexOf(held) >= rights.indexOf(needed);
}
