import type { Skill, SkillCategory } from '../../../../src/agents/agent.ts';
import { dependentsOf, requirementsOf } from '../../../../src/agents/skill-requires.ts';
import type { Draft } from './draft.ts';

/** The id of the group without a category; never stored. */
export const noCategory = 'none';

export interface SkillGroup {
  /** Null for skills without a category. */
  category: SkillCategory | null;
  skills: Skill[];
}

/** A position among the skills: before another one, or at the end of a category. */
export interface SkillPlace {
  categoryId: string | null;
  beforeId: string | null;
}

/** Groups skills by category, in order, then those without one. An unknown category counts as none. */
export function groupSkills(draft: Pick<Draft, 'skills' | 'skillCategories'>): SkillGroup[] {
  const groups = new Map<string | null, SkillGroup>();
  for (const category of draft.skillCategories) groups.set(category.id, { category, skills: [] });
  const loose: SkillGroup = { category: null, skills: [] };
  for (const skill of draft.skills) (groups.get(skill.categoryId) ?? loose).skills.push(skill);
  return [...groups.values(), loose];
}

export function matchesSkill(skill: Skill, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const text = `${skill.name}\n${skill.description}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Adds a skill after the last one of its category. */
export function addSkill(draft: Draft, skill: Skill): Draft {
  const last = draft.skills.findLastIndex((each) => each.categoryId === skill.categoryId);
  return { ...draft, skills: draft.skills.toSpliced(last >= 0 ? last + 1 : draft.skills.length, 0, skill) };
}

export function changeSkill(draft: Draft, id: string, change: Partial<Omit<Skill, 'id'>>): Draft {
  return { ...draft, skills: draft.skills.map((skill) => (skill.id === id ? { ...skill, ...change } : skill)) };
}

/** Removes a skill. The others no longer require it. */
export function removeSkill(draft: Draft, id: string): Draft {
  const others = draft.skills.filter((skill) => skill.id !== id);
  return { ...draft, skills: others.map((skill) => requiring(skill, (ids) => ids.filter((each) => each !== id))) };
}

/** Restores a removed skill of an earlier draft to its position, without its category if that is gone. */
export function restoreSkill(draft: Draft, id: string, before: Draft): Draft {
  const index = before.skills.findIndex((each) => each.id === id);
  const removed = before.skills[index];
  if (!removed || draft.skills.some((each) => each.id === id)) return draft;
  const isKnown = (other: string) => other === id || draft.skills.some((each) => each.id === other);
  const hasCategory = draft.skillCategories.some((category) => category.id === removed.categoryId);
  const skill = requiring(hasCategory ? removed : { ...removed, categoryId: null }, (ids) => ids.filter(isKnown));
  const dependents = new Set(before.skills.filter(({ requires }) => requires?.includes(id)).map((each) => each.id));
  const skills = draft.skills.map((each) =>
    dependents.has(each.id) ? requiring(each, (ids) => (ids.includes(id) ? ids : [...ids, id])) : each,
  );
  return { ...draft, skills: skills.toSpliced(index, 0, skill) };
}

/** Changes what a skill requires. If the skill is on, this turns on the skills it requires. */
export function requireSkills(draft: Draft, id: string, requires: readonly string[]): Draft {
  const changed = {
    ...draft,
    skills: draft.skills.map((skill) => (skill.id === id ? requiring(skill, () => [...requires]) : skill)),
  };
  const isOn = changed.skills.some((skill) => skill.id === id && skill.enabled);
  return isOn ? enableSkills(changed, new Set([id]), true) : changed;
}

/** Leaves the field out of a skill that requires nothing. Returns an unchanged skill as the same object. */
function requiring(skill: Skill, change: (ids: string[]) => string[]): Skill {
  const before = skill.requires ?? [];
  const after = change(before);
  if (after.length === before.length && after.every((id, index) => id === before[index])) return skill;
  const { requires: _, ...fields } = skill;
  return after.length === 0 ? fields : { ...fields, requires: after };
}

/**
 * Moves a skill into a category, before `beforeId` or to the end. All skills then follow the visible order of groups,
 * including in the compiled prompt.
 */
export function moveSkill(draft: Draft, id: string, target: SkillPlace): Draft {
  const moving = draft.skills.find((skill) => skill.id === id);
  if (!moving || target.beforeId === id) return draft;
  const skills = groupSkills(draft).flatMap(({ category, skills: members }) => {
    const rest = members.filter((skill) => skill.id !== id);
    if ((category?.id ?? null) !== target.categoryId) return rest;
    const before = rest.findIndex((skill) => skill.id === target.beforeId);
    const moved = moving.categoryId === target.categoryId ? moving : { ...moving, categoryId: target.categoryId };
    return rest.toSpliced(before >= 0 ? before : rest.length, 0, moved);
  });
  return skills.every((skill, index) => skill === draft.skills[index]) ? draft : { ...draft, skills };
}

/** Returns where a skill is, for `moveSkill`. */
export function placeOf(draft: Pick<Draft, 'skills' | 'skillCategories'>, id: string): SkillPlace | null {
  for (const { category, skills } of groupSkills(draft)) {
    const index = skills.findIndex((skill) => skill.id === id);
    if (index >= 0) return { categoryId: category?.id ?? null, beforeId: skills[index + 1]?.id ?? null };
  }
  return null;
}

/** Moves a skill back to an earlier place, or out of a category that is gone. */
export function moveBack(draft: Draft, id: string, { categoryId, beforeId }: SkillPlace): Draft {
  const isThere = draft.skillCategories.some((category) => category.id === categoryId);
  return moveSkill(draft, id, { categoryId: isThere ? categoryId : null, beforeId });
}

/** Turns skills on with all that they require, or off with all that require them. */
export function enableSkills(draft: Draft, ids: ReadonlySet<string>, enabled: boolean): Draft {
  const linked = enabled ? requirementsOf : dependentsOf;
  const all = new Set([...ids, ...[...ids].flatMap((id) => [...linked(draft.skills, id)])]);
  return {
    ...draft,
    skills: draft.skills.map((skill) =>
      all.has(skill.id) && skill.enabled !== enabled ? { ...skill, enabled } : skill,
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

/** Removes a category and keeps its skills without one. */
export function removeCategory(draft: Draft, id: string): Draft {
  return {
    ...draft,
    skillCategories: draft.skillCategories.filter((category) => category.id !== id),
    skills: draft.skills.map((skill) => (skill.categoryId === id ? { ...skill, categoryId: null } : skill)),
  };
}

/** Restores a removed category of an earlier draft, with those of its skills that are in none now. */
export function restoreCategory(draft: Draft, id: string, before: Draft): Draft {
  const index = before.skillCategories.findIndex((category) => category.id === id);
  const category = before.skillCategories[index];
  if (!category || draft.skillCategories.some((each) => each.id === id)) return draft;
  const had = new Set(before.skills.filter((skill) => skill.categoryId === id).map((skill) => skill.id));
  return {
    ...draft,
    skillCategories: draft.skillCategories.toSpliced(index, 0, category),
    skills: draft.skills.map((skill) =>
      had.has(skill.id) && skill.categoryId === null ? { ...skill, categoryId: id } : skill,
    ),
  };
}

/** Colors that are distinct in both themes. */
export const categoryPalette = [
  { color: '#4f46e5', name: 'Indigo' },
  { color: '#0284c7', name: 'Sky' },
  { color: '#0d9488', name: 'Teal' },
  { color: '#16a34a', name: 'Green' },
  { color: '#ca8a04', name: 'Amber' },
  { color: '#ea580c', name: 'Orange' },
  { color: '#dc2626', name: 'Red' },
  { color: '#db2777', name: 'Pink' },
  { color: '#9333ea', name: 'Purple' },
  { color: '#64748b', name: 'Slate' },
] as const;

/** Returns the first of the least used palette colors. */
export function nextColor(categories: readonly SkillCategory[]): string {
  const uses = (color: string) => categories.filter((category) => category.color.toLowerCase() === color).length;
  const sorted = [...categoryPalette].sort((left, right) => uses(left.color) - uses(right.color));
  return (sorted[0] ?? categoryPalette[0]).color;
}
