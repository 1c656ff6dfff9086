/** Reads whether a dialog that adds something is open. */
export function addIn({ add }: Record<string, unknown>): { add?: true } {
  return add === true ? { add } : {};
}

/** Returns one key of a URL's query as an object; empty unless the value is a non-empty string. */
export function textIn<K extends string>(search: Record<string, unknown>, key: K): { [each in K]?: string } {
  const value = search[key];
  // A computed key widens to an index signature; it is the one key asked for.
  return (typeof value === 'string' && value !== '' ? { [key]: value } : {}) as { [each in K]?: string };
}
