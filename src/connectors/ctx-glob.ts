import { HubError } from '../base/hub-error.ts';

/** Alternatives in braces, multiplied, per glob. */
const maxAlternatives = 256;

/**
 * Compiles a glob of Context Harness, which matches the whole path. `*` and `?` also match slashes, two stars before a slash any number of
 * folders, `[a-z]` a character and `{a,b}` alternatives. Matching takes time in proportion to the lengths of glob and path. Throws
 * INVALID_ARGUMENTS.
 */
export function compileCtxGlob(glob: string): (path: string) => boolean {
  const alternatives = expandBraces(glob);
  if (alternatives.length > maxAlternatives) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      `The glob "${glob}" has more than ${maxAlternatives} alternatives. Use fewer.`,
    );
  }
  const all = alternatives.map(parse);
  return (path) => all.some((steps) => matches(steps, path));
}

type Step =
  /** One character. */
  | { kind: 'one'; fits: (character: string) => boolean }
  /** Any number of characters. */
  | { kind: 'any' }
  /** Any number of folders, each with its slash. */
  | { kind: 'folders' };

/** Follows all ways to match at once. A state is the number of steps done; `inFolders` are those in the middle of a folder's name. */
function matches(steps: readonly Step[], path: string): boolean {
  let states = closure(steps, new Set([0]));
  let inFolders = new Set<number>();
  for (const character of path) {
    const next = new Set<number>();
    const nextInFolders = new Set<number>();
    const follow = (state: number) => (character === '/' ? next.add(state) : nextInFolders.add(state));
    for (const state of states) {
      const step = steps[state];
      if (step?.kind === 'one' && step.fits(character)) next.add(state + 1);
      if (step?.kind === 'any') next.add(state);
      if (step?.kind === 'folders') follow(state);
    }
    for (const state of inFolders) follow(state);
    states = closure(steps, next);
    inFolders = nextInFolders;
    if (states.size === 0 && inFolders.size === 0) return false;
  }
  return states.has(steps.length);
}

/** Adds the states that are reached without a character. */
function closure(steps: readonly Step[], states: Set<number>): Set<number> {
  // A set also iterates over what is added meanwhile.
  for (const state of states) {
    const kind = steps[state]?.kind;
    if (kind === 'any' || kind === 'folders') states.add(state + 1);
  }
  return states;
}

function parse(glob: string): Step[] {
  const steps: Step[] = [];
  const pattern = /\*\*\/|\*+|\?|\[([!^]?)(\]?[^\]]*)\]|\\(.)|./gsu;
  for (const { 0: token, 1: negation, 2: members, 3: escaped, index } of glob.matchAll(pattern)) {
    const isWholePart = index === 0 || glob[index - 1] === '/';
    if (token === '**/' && isWholePart) steps.push({ kind: 'folders' });
    else if (token === '**/') steps.push({ kind: 'any' }, { kind: 'one', fits: (each) => each === '/' });
    else if (token.startsWith('*')) steps.push({ kind: 'any' });
    else if (token === '?') steps.push({ kind: 'one', fits: () => true });
    else if (members !== undefined) {
      const isMember = memberTest(members);
      steps.push({ kind: 'one', fits: (each) => isMember(each) !== (negation !== '') });
    } else steps.push({ kind: 'one', fits: (each) => each === (escaped ?? token) });
  }
  return steps;
}

/** `a-z_` in brackets. */
function memberTest(members: string): (character: string) => boolean {
  const ranges = [...members.matchAll(/(.)-(.)|(.)/gsu)].map(
    ([, from, to, single]) => [from ?? single, to ?? single] as const,
  );
  return (each) => ranges.some(([from = '', to = '']) => each >= from && each <= to);
}

/** `{a,b{c,d}}` as the list of texts it stands for. Unbalanced braces stand for themselves. */
function expandBraces(glob: string): string[] {
  const found = /\{([^{}]*)\}/.exec(glob);
  if (!found) return [glob];
  const before = glob.slice(0, found.index);
  const after = glob.slice(found.index + found[0].length);
  const expanded = (found[1] ?? '').split(',').map((each) => before + each + after);
  if (expanded.length > maxAlternatives) return expanded;
  const all: string[] = [];
  for (const each of expanded) {
    all.push(...expandBraces(each));
    if (all.length > maxAlternatives) break;
  }
  return all;
}
