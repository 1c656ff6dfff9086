import { describe, expect, it } from 'vitest';
import { AgentInput, type Skill } from '../../../../src/agents/agent.ts';
import { type Draft, toDraft } from './draft.ts';
import * as edit from './edit-skills.ts';

const skill = (id: string, categoryId: string | null): Skill => ({
  id,
  name: id.toUpperCase(),
  description: `about ${id}`,
  categoryId,
  enabled: true,
});

const draft: Draft = toDraft({
  ...AgentInput.parse({
    name: 'Otter',
    skillCategories: [
      { id: 'code', name: 'Code', color: '#4f46e5' },
      { id: 'talk', name: 'Talk', color: '#0284c7' },
    ],
    skills: [skill('a', 'code'), skill('b', 'talk'), skill('c', 'code'), skill('d', null)],
  }),
  id: 'otter',
  source: 'store',
});

const order = (result: Draft) => result.skills.map((each) => `${each.id}:${each.categoryId ?? '-'}`);

describe('skills', () => {
  it('are grouped by category, those without one last', () => {
    const groups = edit.groupSkills(draft);
    expect(groups.map((group) => [group.category?.id ?? null, group.skills.map((each) => each.id)])).toEqual([
      ['code', ['a', 'c']],
      ['talk', ['b']],
      [null, ['d']],
    ]);
  });

  it('are added at the end of their category', () => {
    expect(order(edit.addSkill(draft, skill('e', 'talk')))).toEqual(['a:code', 'b:talk', 'e:talk', 'c:code', 'd:-']);
  });

  it('move before a skill of another category, and all follow the visible order', () => {
    expect(order(edit.moveSkill(draft, 'd', { categoryId: 'talk', beforeId: 'b' }))).toEqual([
      'a:code',
      'c:code',
      'd:talk',
      'b:talk',
    ]);
  });

  it('move to the end of a category', () => {
    expect(order(edit.moveSkill(draft, 'a', { categoryId: 'talk', beforeId: null }))).toEqual([
      'c:code',
      'b:talk',
      'a:talk',
      'd:-',
    ]);
  });

  it('move into an empty category', () => {
    const empty = edit.addCategory(draft, { id: 'new', name: 'New', color: '#000000' });
    expect(order(edit.moveSkill(empty, 'a', { categoryId: 'new', beforeId: null }))).toEqual([
      'c:code',
      'b:talk',
      'a:new',
      'd:-',
    ]);
  });

  it('stay unchanged when dropped at their position', () => {
    const sorted = { ...draft, skills: edit.groupSkills(draft).flatMap((group) => group.skills) };
    expect(edit.moveSkill(sorted, 'a', { categoryId: 'code', beforeId: 'c' })).toBe(sorted);
    expect(edit.moveSkill(sorted, 'd', { categoryId: null, beforeId: null })).toBe(sorted);
    expect(edit.moveSkill(sorted, 'gone', { categoryId: null, beforeId: null })).toBe(sorted);
  });

  it('return to their position when a removal is undone', () => {
    const removed = edit.removeSkill(draft, 'b');
    expect(edit.restoreSkill(removed, 'b', draft)).toEqual(draft);
  });

  it('return without their category if it is gone', () => {
    const removed = edit.removeCategory(edit.removeSkill(draft, 'b'), 'talk');
    expect(order(edit.restoreSkill(removed, 'b', draft))[1]).toBe('b:-');
  });

  it('are turned off together', () => {
    const off = edit.enableSkills(draft, new Set(['a', 'c']), false);
    expect(off.skills.map((each) => each.enabled)).toEqual([false, true, false, true]);
    expect(off.skills[1]).toBe(draft.skills[1]);
  });

  describe('that require others', () => {
    const off = edit.enableSkills(draft, new Set(['a', 'b', 'c', 'd']), false);
    const linked = edit.requireSkills(edit.requireSkills(off, 'a', ['b']), 'b', ['d']);
    const on = (result: Draft) => result.skills.filter((each) => each.enabled).map((each) => each.id);

    it('turn them on, and go off with them', () => {
      const enabled = edit.enableSkills(linked, new Set(['a']), true);
      expect(on(enabled)).toEqual(['a', 'b', 'd']);
      expect(on(edit.enableSkills(enabled, new Set(['b']), false))).toEqual(['d']);
      expect(on(edit.requireSkills(enabled, 'd', ['c']))).toEqual(['a', 'b', 'c', 'd']);
    });

    it('no longer require a deleted one, until it is restored', () => {
      const removed = edit.removeSkill(linked, 'b');
      expect(removed.skills[0]).toEqual(off.skills[0]);
      expect(edit.restoreSkill(removed, 'b', linked)).toEqual(linked);
    });
  });

  it('are found by every word of a query, in name or description', () => {
    expect(edit.matchesSkill(skill('a', null), 'ABOUT a')).toBe(true);
    expect(edit.matchesSkill(skill('a', null), 'about z')).toBe(false);
  });
});

describe('categories', () => {
  it('are removed without their skills', () => {
    const after = edit.removeCategory(draft, 'code');
    expect(after.skillCategories.map((each) => each.id)).toEqual(['talk']);
    expect(order(after)).toEqual(['a:-', 'b:talk', 'c:-', 'd:-']);
  });

  it('are renamed and recolored', () => {
    const after = edit.changeCategory(draft, 'talk', { name: 'Speech', color: '#111111' });
    expect(after.skillCategories[1]).toEqual({ id: 'talk', name: 'Speech', color: '#111111' });
  });

  it('get the first unused color', () => {
    expect(edit.nextColor(draft.skillCategories)).toBe('#0d9488');
    const all = edit.categoryPalette.map(({ color }) => ({ id: color, name: color, color }));
    expect(edit.nextColor(all)).toBe(edit.categoryPalette[0].color);
  });
});
