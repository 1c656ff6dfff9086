import { changedFields, type Draft, pickFields, sameValue } from './draft.ts';
import { countIssues, validateDraft } from './validate-draft.ts';

/** The part of an agent that a field belongs to. If both sides changed a part, the user takes it from one of them as a whole. */
const partOf: Record<keyof Draft, string> = {
  name: 'Name',
  description: 'Description',
  version: 'Version',
  tags: 'Tags',
  mode: 'Mode',
  model: 'Model',
  systemPrompt: 'System prompt',
  skillCategories: 'Skills',
  skills: 'Skills',
  rules: 'Rules',
  references: 'References',
  arguments: 'Arguments',
  tools: 'Tools',
  toolPermission: 'Tool permission',
  exposes: 'Offered tools',
  shareContext: 'Shared context',
  knowledge: 'Knowledge',
  contextRefs: 'Context references',
  contextBudget: 'Context budget',
  modelSettings: 'Model settings',
  appearanceSeed: 'Picture',
  provider: 'Provider',
  iconUrl: 'Icon',
  documentationUrl: 'Documentation',
};
// Object.keys returns string[].
const parts = [...Map.groupBy(Object.keys(partOf) as (keyof Draft)[], (field) => partOf[field])];

/** A part that both sides changed, each in its own way. */
export interface Conflict {
  title: string;
  fields: readonly (keyof Draft)[];
}

export interface Sides {
  /** The version that both started from. */
  base: Draft;
  mine: Draft;
  theirs: Draft;
}

export interface Merge {
  /** The changes of both sides, with the conflicts as in `theirs`. */
  draft: Draft;
  conflicts: readonly Conflict[];
}

/**
 * Combines the changes of both sides. Lists are combined entry by entry, unless both changed the same entry or the order. Fields with
 * typed text that is not in the draft yet count as changed in `mine`.
 */
export function mergeDrafts(sides: Sides, unfinished: ReadonlySet<keyof Draft> = new Set()): Merge {
  let draft = sides.theirs;
  const conflicts: Conflict[] = [];
  for (const [title, fields] of parts) {
    const isOpen = fields.some(
      (field) => unfinished.has(field) && differsFromBoth(sides.theirs[field], sides.base[field], sides.mine[field]),
    );
    const combined = isOpen ? undefined : combineFields(sides, fields);
    const next = combined && { ...draft, ...combined };
    if (next && isSound(next, sides, fields)) draft = next;
    else conflicts.push({ title, fields });
  }
  return { draft, conflicts };
}

/** Returns the merged draft with some of the conflicts, named by their titles, as in `mine`. */
export function resolveConflicts({ draft, conflicts }: Merge, mine: Draft, fromMine: ReadonlySet<string>): Draft {
  const fields = conflicts.filter(({ title }) => fromMine.has(title)).flatMap((conflict) => conflict.fields);
  return { ...draft, ...pickFields(mine, fields) };
}

function differsFromBoth(value: unknown, one: unknown, other: unknown): boolean {
  return !sameValue(value, one) && !sameValue(value, other);
}

/** Entries that fit each other on both sides may not fit once they are combined, such as a skill and its deleted category. */
function isSound(draft: Draft, { mine, theirs }: Sides, fields: readonly (keyof Draft)[]): boolean {
  const isFrom = (side: Draft) => changedFields(draft, side).every((field) => !fields.includes(field));
  if (isFrom(mine) || isFrom(theirs)) return true;
  const issues = validateDraft(draft);
  return fields.every((field) => countIssues(issues, field) === 0);
}

/** Returns undefined if there is a conflict. */
function combineFields(sides: Sides, fields: readonly (keyof Draft)[]): Partial<Draft> | undefined {
  const entries: [string, unknown][] = [];
  for (const field of fields) {
    const combined = combine(sides.base[field], sides.mine[field], sides.theirs[field]);
    if (!combined) return undefined;
    entries.push([field, combined.value]);
  }
  // Each value has the type of its field.
  return Object.fromEntries(entries) as Partial<Draft>;
}

function combine(base: unknown, mine: unknown, theirs: unknown): { value: unknown } | undefined {
  if (sameValue(mine, theirs) || sameValue(mine, base)) return { value: theirs };
  if (sameValue(theirs, base)) return { value: mine };
  if (!Array.isArray(base) || !Array.isArray(mine) || !Array.isArray(theirs)) return undefined;
  const [ofBase, ofMine, ofTheirs] = [byKey(base), byKey(mine), byKey(theirs)];
  if (!ofBase || !ofMine || !ofTheirs) return undefined;
  return combineLists(ofBase, ofMine, ofTheirs);
}

type Entries = ReadonlyMap<string, unknown>;

/** Returns the entries of a list by their id, name or text; undefined if they have none, or the same one twice. */
function byKey(list: readonly unknown[]): Entries | undefined {
  const entries = new Map<string, unknown>();
  for (const entry of list) {
    const { id, name } = Object(entry);
    const key: unknown = typeof entry === 'string' ? entry : (id ?? name);
    if (typeof key !== 'string' || entries.has(key)) return undefined;
    entries.set(key, entry);
  }
  return entries;
}

/** Whether each side may have given the same entry another name. Entries with an id keep it. */
function mayBeRenamedTwice(base: Entries, mine: Entries, theirs: Entries): boolean {
  const isGone = [...base].some(([key, entry]) => Object(entry).id === undefined && !mine.has(key) && !theirs.has(key));
  const adds = (side: Entries, other: Entries) => [...side.keys()].some((key) => !base.has(key) && !other.has(key));
  return isGone && adds(mine, theirs) && adds(theirs, mine);
}

function combineLists(base: Entries, mine: Entries, theirs: Entries): { value: unknown[] } | undefined {
  if (mayBeRenamedTwice(base, mine, theirs)) return undefined;
  const kept = new Map<string, unknown>();
  for (const key of new Set([...theirs.keys(), ...mine.keys()])) {
    const [from, left, right] = [base.get(key), mine.get(key), theirs.get(key)];
    if (sameValue(left, right) || sameValue(left, from)) {
      if (theirs.has(key)) kept.set(key, right);
    } else if (sameValue(right, from)) {
      if (mine.has(key)) kept.set(key, left);
    } else return undefined;
  }
  const shared = [...base.keys()].filter((key) => mine.has(key) && theirs.has(key));
  const order = (side: Entries) => [...side.keys()].filter((key) => shared.includes(key)).join('\n');
  const isMoved = (side: Entries) => order(side) !== shared.join('\n');
  if (isMoved(mine) && isMoved(theirs) && order(mine) !== order(theirs)) return undefined;
  const [first, second] = isMoved(mine) ? [mine, theirs] : [theirs, mine];
  const keys = [...first.keys()].filter((key) => kept.has(key));
  // What only the other side has follows the entry that it follows there.
  let before = -1;
  for (const key of second.keys()) {
    if (!kept.has(key)) continue;
    const index = keys.indexOf(key);
    before = index === -1 ? before + 1 : index;
    if (index === -1) keys.splice(before, 0, key);
  }
  return { value: keys.map((key) => kept.get(key)) };
}
