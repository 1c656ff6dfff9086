import type { Skill, SkillCategory } from '../../src/agents/agent.ts';
import type { Draft } from './draft.ts';

/** Where skills without a category are shown; never stored. */
export const noCategory = 'none';

export interface SkillGroup {
  /** Null for skills without a category. */
  category: SkillCategory | null;
  skills: Skill[];
}

/** Categories in their order, then the skills without one. A skill with an unknown category counts as without. */
export function groupSkills(draft: Pick<Draft, 'skills' | 'skillCategories'>): SkillGroup[] {
  const groups = new Map<string | null, SkillGroup>();
  for (const category of draft.skillCategories) groups.set(category.id, { category, skills: [] });
  const loose: SkillGroup = { category: null, skills: [] };
  for (const skill of draft.skills) (groups.get(skill.categoryId) ?? loose).skills.push(skill);
  return [...groups.values(), loose];
}

export function matchesSkill(skill: Skill, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const text = `${skill.name}\n${skill.description}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

export function addSkill(draft: Draft, skill: Skill): Draft {
  return { ...draft, skills: [...draft.skills, skill] };
}

export function changeSkill(draft: Draft, id: string, change: Partial<Omit<Skill, 'id'>>): Draft {
  return { ...draft, skills: draft.skills.map((skill) => (skill.id === id ? { ...skill, ...change } : skill)) };
}

export function removeSkill(draft: Draft, id: string): Draft {
  return { ...draft, skills: draft.skills.filter((skill) => skill.id !== id) };
}

/** Puts a removed skill back where it was; without its category when that is gone. */
export function putSkillBack(draft: Draft, skill: Skill, index: number): Draft {
  if (draft.skills.some((each) => each.id === skill.id)) return draft;
  const known = draft.skillCategories.some((category) => category.id === skill.categoryId);
  const skills = [...draft.skills];
  skills.splice(index, 0, known ? skill : { ...skill, categoryId: null });
  return { ...draft, skills };
}

/**
 * Puts a skill into a category, before the skill `beforeId` or at the end of the category. The order in the
 * list is the order in the compiled prompt, so a skill that is moved to the end of its group goes right behind its last one.
 */
export function moveSkill(
  draft: Draft,
  id: string,
  target: { categoryId: string | null; beforeId: string | null },
): Draft {
  const moving = draft.skills.find((skill) => skill.id === id);
  if (!moving || target.beforeId === id) return draft;
  const rest = draft.skills.filter((skill) => skill.id !== id);
  const moved = moving.categoryId === target.categoryId ? moving : { ...moving, categoryId: target.categoryId };
  const before = target.beforeId === null ? -1 : rest.findIndex((skill) => skill.id === target.beforeId);
  const last = rest.findLastIndex((skill) => skill.categoryId === target.categoryId);
  const index = before >= 0 ? before : last >= 0 ? last + 1 : rest.length;
  const skills = [...rest.slice(0, index), moved, ...rest.slice(index)];
  const same = moved === moving && skills.every((skill, at) => skill === draft.skills[at]);
  return same ? draft : { ...draft, skills };
}

export function enableSkills(draft: Draft, ids: ReadonlySet<string>, enabled: boolean): Draft {
  return {
    ...draft,
    skills: draft.skills.map((skill) =>
      ids.has(skill.id) && skill.enabled !== enabled ? { ...skill, enabled } : skill,
    ),
  };
}

export function addCategory(draft: Draft, category: SkillCategory): Draft {
  return { ...draft, skillCategories: [...draft.skillCategories, category] };
}

export function changeCategory(draft: Draft, id: string, change: Partial<Omit<SkillCategory, 'id'>>): Draft {
  return {
    ...draft,
    skillCategories: draft.skillCategories.map((category) =>
      category.id === id ? { ...category, ...change } : category,
    ),
  };
}

/** Its skills stay, without a category. */
export function removeCategory(draft: Draft, id: string): Draft {
  return {
    ...draft,
    skillCategories: draft.skillCategories.filter((category) => category.id !== id),
    skills: draft.skills.map((skill) => (skill.categoryId === id ? { ...skill, categoryId: null } : skill)),
  };
}

/** Distinct in both themes, and for most kinds of colour blindness by lightness too. */
export const categoryPalette = [
  '#4f46e5',
  '#0284c7',
  '#0d9488',
  '#16a34a',
  '#ca8a04',
  '#ea580c',
  '#dc2626',
  '#db2777',
  '#9333ea',
  '#64748b',
] as const;

/** The first colour of the palette that no category has, else the one used least. */
export function nextColor(categories: readonly SkillCategory[]): string {
  const uses = (color: string) => categories.filter((category) => category.color.toLowerCase() === color).length;
  return [...categoryPalette].sort((left, right) => uses(left) - uses(right))[0] ?? categoryPalette[0];
}
