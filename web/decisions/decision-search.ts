/** What the timeline shows, as it stands in the address; left out where it is the usual. */
export interface DecisionSearch {
  agentId?: string;
  tool?: string;
  kind?: string;
  taskId?: string;
  callId?: string;
  /** ISO 8601. */
  since?: string;
  until?: string;
  text?: string;
}

const words = ['agentId', 'tool', 'kind', 'taskId', 'callId', 'since', 'until', 'text'] as const;

/** Reads the address; what it does not know it leaves out. */
export function decisionSearch(search: Record<string, unknown>): DecisionSearch {
  const found: DecisionSearch = {};
  for (const word of words) {
    const value = search[word];
    // The router reads ?text=42 as a number.
    if ((typeof value === 'string' && value !== '') || typeof value === 'number') found[word] = String(value);
  }
  return found;
}
