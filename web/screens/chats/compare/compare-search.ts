export interface CompareSearch {
  /** The agent that both sides begin with. */
  with?: string;
  /** The chats that are compared. */
  left?: string;
  right?: string;
}

export function compareSearch(search: Record<string, unknown>): CompareSearch {
  const found: CompareSearch = {};
  for (const name of ['with', 'left', 'right'] as const) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') found[name] = value;
  }
  return found;
}
