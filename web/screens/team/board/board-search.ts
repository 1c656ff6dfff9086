/** The search parameters in the board URL. Defaults are left out. */
export interface BoardSearch {
  /** Finds tasks by their words. */
  q?: string;
  /** An epic's id, or `none`. */
  epic?: string;
  /** A member's id, or `none`. */
  assignee?: string;
  /** A label that the tasks have. */
  label?: string;
  /** Opens the dialog for a new task. */
  add?: true;
}

/** Reads the URL and drops unknown parameters. */
export function boardSearch(search: Record<string, unknown>): BoardSearch {
  return {
    ...wordsIn(search, 'q'),
    ...wordsIn(search, 'epic'),
    ...wordsIn(search, 'assignee'),
    ...wordsIn(search, 'label'),
    ...(search.add === true && { add: true }),
  };
}

// The router reads ?q=42 as a number.
function wordsIn<K extends string>(search: Record<string, unknown>, key: K): { [each in K]?: string } {
  const value = search[key];
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  // A computed key widens to an index signature; it is the one key asked for.
  return (text === '' ? {} : { [key]: text }) as { [each in K]?: string };
}
