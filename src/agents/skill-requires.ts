/** The fields of a skill that decide whether it is active. */
export interface RequiringSkill {
  id: string;
  enabled: boolean;
  /** The ids of the skills it needs. */
  requires?: readonly string[] | undefined;
}

type Links = readonly Pick<RequiringSkill, 'id' | 'requires'>[];

/** Returns the enabled skills and all that they require. A required skill comes before those that require it. */
export function activeSkills<S extends RequiringSkill>(skills: readonly S[]): S[] {
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  const active = new Map<string, S>();
  const add = (skill: S, path: readonly string[]) => {
    if (active.has(skill.id) || path.includes(skill.id)) return;
    for (const id of skill.requires ?? []) {
      const required = byId.get(id);
      if (required) add(required, [...path, skill.id]);
    }
    active.set(skill.id, skill);
  };
  for (const skill of skills) if (skill.enabled) add(skill, []);
  return [...active.values()];
}

/** Returns the ids of all skills that one needs, directly or through others. */
export function requirementsOf(skills: Links, id: string): Set<string> {
  const byId = new Map(skills.map((skill) => [skill.id, skill.requires ?? []]));
  return reach(id, (each) => byId.get(each) ?? []);
}

/** Returns the ids of all skills that need this one, directly or through others. */
export function dependentsOf(skills: Links, id: string): Set<string> {
  return reach(id, (each) => skills.filter(({ requires }) => requires?.includes(each)).map((skill) => skill.id));
}

function reach(start: string, next: (id: string) => readonly string[]): Set<string> {
  const found = new Set<string>();
  const open = [...next(start)];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    open.push(...next(id));
  }
  return found;
}

/** Returns the shortest chain through which a skill requires itself: `[a, b, a]`. Undefined if it does not. */
export function cycleThrough(skills: Links, id: string): string[] | undefined {
  const byId = new Map(skills.map((skill) => [skill.id, skill.requires ?? []]));
  const seen = new Set<string>();
  const ways: string[][] = [[id]];
  for (const way of ways) {
    for (const next of byId.get(way.at(-1) ?? '') ?? []) {
      if (next === id) return [...way, id];
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}
