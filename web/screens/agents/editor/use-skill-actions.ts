import { useMemo } from 'react';
import { newId } from '../../../../src/base/ids.ts';
import { showToast } from '../../../ui/toast.tsx';
import type { Draft, EditDraft } from './draft.ts';
import * as skills from './edit-skills.ts';
import type { SkillActions } from './skill-card.tsx';
import type { CategoryActions } from './skill-group.tsx';

/** The same functions for the life of the tab, so that a change of one skill draws only that one again. */
export function useSkillActions(edit: (edit: EditDraft) => void, open: (id: string | null) => void) {
  return useMemo(() => {
    const skill: SkillActions = {
      change: (id, change) => edit((draft) => skills.changeSkill(draft, id, change)),
      move: (id, categoryId) => edit((draft) => skills.moveSkill(draft, id, { categoryId, beforeId: null })),
      remove: (id) => {
        let before: Draft | undefined;
        edit((draft) => {
          before = draft;
          return skills.removeSkill(draft, id);
        });
        open(null);
        const undo = () =>
          edit((draft) => {
            const index = before?.skills.findIndex((each) => each.id === id) ?? -1;
            const removed = before?.skills[index];
            return removed ? skills.putSkillBack(draft, removed, index) : draft;
          });
        showToast('Skill deleted', { action: { label: 'Undo', onClick: undo } });
      },
      open,
    };
    const category: CategoryActions = {
      change: (id, change) => edit((draft) => skills.changeCategory(draft, id, change)),
      remove: (id) => {
        edit((draft) => skills.removeCategory(draft, id));
        showToast('Category deleted', { description: 'Its skills are kept, without a category.' });
      },
      addSkill: (categoryId) => {
        const id = newId('skill');
        edit((draft) => skills.addSkill(draft, { id, name: 'New skill', description: '', categoryId, enabled: true }));
        open(id);
      },
      enable: (ids, enabled) => edit((draft) => skills.enableSkills(draft, new Set(ids), enabled)),
    };
    const addCategory = () => {
      const id = newId('category');
      edit((draft) =>
        skills.addCategory(draft, { id, name: 'New category', color: skills.nextColor(draft.skillCategories) }),
      );
    };
    return { skill, category, addCategory };
  }, [edit, open]);
}
