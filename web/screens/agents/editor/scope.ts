import { matchesGlob } from '../../../../src/base/glob.ts';

export type ScopeEntry =
  | { kind: 'tool'; name: string }
  | { kind: 'pattern'; name: string; matches: string[] }
  /** Kept, because its server may be offline. */
  | { kind: 'missing'; name: string };

export function isPattern(name: string): boolean {
  return name.includes('*');
}

/** Matches each entry of a scope against the hub's current tools. */
export function describeScope(scope: readonly string[], toolNames: readonly string[]): ScopeEntry[] {
  const known = new Set(toolNames);
  return scope.map((name) => {
    if (isPattern(name)) return { kind: 'pattern', name, matches: matchingTools(name, toolNames) };
    return known.has(name) ? { kind: 'tool', name } : { kind: 'missing', name };
  });
}

export function matchingTools(pattern: string, toolNames: readonly string[]): string[] {
  return toolNames.filter((name) => matchesGlob(pattern, name));
}

/** Returns the patterns of a scope that match a tool. */
export function patternsFor(scope: readonly string[], toolName: string): string[] {
  return scope.filter((name) => isPattern(name) && matchesGlob(name, toolName));
}

export function addToScope(scope: readonly string[], names: readonly string[]): string[] {
  return [...scope, ...new Set(names.filter((name) => !scope.includes(name)))];
}

export function removeFromScope(scope: readonly string[], names: readonly string[]): string[] {
  return scope.filter((name) => !names.includes(name));
}

/** Counts the hub's tools that are in scope. */
export function countInScope(scope: readonly string[], toolNames: readonly string[]): number {
  return toolNames.filter((tool) => scope.some((name) => matchesGlob(name, tool))).length;
}
