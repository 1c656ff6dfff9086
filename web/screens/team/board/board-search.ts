import { type Priority, priorities } from '../../../../src/team/work/work.ts';

const dueFilters = ['overdue', 'week'] as const;
type DueFilter = (typeof dueFilters)[number];

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
  priority?: Priority;
  /** Tasks that are due, and not completed. */
  due?: DueFilter;
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
    ...oneOf(search, 'priority', priorities),
    ...oneOf(search, 'due', dueFilters),
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

function oneOf<K extends string, V extends string>(
  search: Record<string, unknown>,
  key: K,
  values: readonly V[],
): { [each in K]?: V } {
  const value = values.find((each) => each === search[key]);
  return (value === undefined ? {} : { [key]: value }) as { [each in K]?: V };
}
