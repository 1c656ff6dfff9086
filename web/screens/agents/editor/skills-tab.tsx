import { DndContext } from '@dnd-kit/core';
import { FolderPlus, Plus, Search, Sparkles } from 'lucide-react';
import { memo, useCallback, useDeferredValue, useMemo, useState } from 'react';
import { activeSkills, dependentsOf, requirementsOf } from '../../../../src/agents/skill-requires.ts';
import { newId } from '../../../../src/base/ids.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { formatCount } from '../../../ui/format-count.ts';
import { Input } from '../../../ui/input.tsx';
import { showToast } from '../../../ui/toast.tsx';
import type { Draft, EditDraft } from './draft.ts';
import * as skills from './edit-skills.ts';
import { groupSkills, matchesSkill, type SkillGroup } from './edit-skills.ts';
import type { SkillActions, SkillLinks } from './skill-card.tsx';
import { type CategoryActions, SkillGroupView } from './skill-group.tsx';
import { moveWithUndo, useSkillDrag } from './use-skill-drag.ts';
import { issueAt } from './validate-draft.ts';

export interface SkillsTabProps {
  skills: Draft['skills'];
  skillCategories: Draft['skillCategories'];
  editable: boolean;
  issues: readonly FieldIssue[];
  edit: (edit: EditDraft) => void;
}

export const SkillsTab = memo(function SkillsTab({ skills, skillCategories, editable, issues, edit }: SkillsTabProps) {
  const [openId, setOpenId] = useState<string | null>(null);
  const [addedId, setAddedId] = useState<string | null>(null);
  const [query, setQuery] = useState('');
  const deferredQuery = useDeferredValue(query);
  const actions = useSkillActions(
    edit,
    setOpenId,
    useCallback((id: string | null) => {
      setAddedId(id);
      // A filter would hide a new category.
      if (id !== null) setQuery('');
    }, []),
  );
  const drag = useSkillDrag({ skills, skillCategories }, edit);
  const filtered = useMemo(
    () =>
      groupSkills({ skills: drag.skills, skillCategories }).map((group) => ({
        ...group,
        skills: group.skills.filter((skill) => skill.id === openId || matchesSkill(skill, deferredQuery)),
      })),
    [drag.skills, skillCategories, deferredQuery, openId],
  );
  const groups = useStableGroups(filtered);
  const order = skills.map((skill) => skill.id).join('\n');
  const skillIndex = useMemo(() => new Map(order.split('\n').map((id, index) => [id, index])), [order]);
  const links = useSkillLinks(skills);
  const shown = groups.reduce((sum, group) => sum + group.skills.length, 0);
  const listError = issueAt(issues, 'skills');
  const isEmpty = skills.length === 0 && skillCategories.length === 0;
  const filtering = deferredQuery.trim() !== '';

  return (
    <div className="flex flex-col gap-3">
      {!isEmpty && (
        <div className="flex flex-wrap items-center gap-2">
          <div className="relative min-w-0 flex-1 basis-32 max-sm:basis-full">
            <Search
              aria-hidden
              className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-faint"
            />
            <Input
              type="search"
              aria-label="Filter skills"
              placeholder={`Filter ${formatCount(skills.length, 'skill')}`}
              value={query}
              onChange={(event) => setQuery(event.target.value)}
              className="pl-8"
            />
          </div>
          {editable && (
            <>
              <Button icon={<FolderPlus aria-hidden />} onClick={actions.addCategory}>
                Add category
              </Button>
              <Button icon={<Plus aria-hidden />} onClick={() => actions.category.addSkill(null)}>
                Add skill
              </Button>
            </>
          )}
        </div>
      )}
      {listError && (
        <p role="alert" className="text-danger text-xs">
          {listError}
        </p>
      )}
      {isEmpty ? (
        <EmptyState
          art={<Sparkles className="size-10" strokeWidth={1.5} />}
          title="No skills yet"
          actions={
            editable && (
              <>
                <Button icon={<FolderPlus aria-hidden />} onClick={actions.addCategory}>
                  Add category
                </Button>
                <Button variant="primary" icon={<Plus aria-hidden />} onClick={() => actions.category.addSkill(null)}>
                  Add skill
                </Button>
              </>
            )
          }
        >
          A skill is a set of instructions you can turn on and off. The prompt includes only skills that are on.
        </EmptyState>
      ) : filtering && shown === 0 ? (
        <EmptyState
          title="No skills match"
          actions={<Button onClick={() => setQuery('')}>Clear filter</Button>}
        >{`No name or instructions contain “${deferredQuery.trim()}”. Try another word.`}</EmptyState>
      ) : (
        <DndContext {...drag.context}>
          <div className="flex flex-col gap-3">
            {groups.map((group, index) =>
              group.skills.length === 0 && (filtering || group.category === null) && !drag.isDragging ? null : (
                <SkillGroupView
                  key={group.category?.id ?? ''}
                  group={group}
                  categoryIndex={index}
                  skillIndex={skillIndex}
                  links={links}
                  categories={skillCategories}
                  openId={openId}
                  addedId={addedId}
                  editable={editable}
                  issues={issues}
                  isOnly={skillCategories.length === 0}
                  skillActions={actions.skill}
                  categoryActions={actions.category}
                />
              ),
            )}
          </div>
        </DndContext>
      )}
    </div>
  );
});

/** Returns the same object while only texts change, so that typing rerenders one skill. */
function useSkillLinks(skills: Draft['skills']): SkillLinks {
  const shape = JSON.stringify(skills.map(({ id, name, enabled, requires }) => ({ id, name, enabled, requires })));
  return useMemo(() => {
    const list: SkillLinks['skills'] = JSON.parse(shape);
    return { skills: list, active: new Set(activeSkills(list).map(({ id }) => id)) };
  }, [shape]);
}

/** Keeps unchanged groups identical, so that typing in one skill rerenders only its group. */
function useStableGroups(groups: SkillGroup[]): SkillGroup[] {
  const [known, setKnown] = useState(groups);
  const same = groups.map((group) => {
    const before = known.find((each) => each.category?.id === group.category?.id);
    const isSame =
      before?.category === group.category &&
      before.skills.length === group.skills.length &&
      before.skills.every((skill, index) => skill === group.skills[index]);
    return isSame ? before : group;
  });
  if (same.length === known.length && same.every((group, index) => group === known[index])) return known;
  setKnown(same);
  return same;
}

/** Returns stable functions, so that changing one skill rerenders only that skill. */
function useSkillActions(
  edit: (edit: EditDraft) => void,
  open: (id: string | null) => void,
  markAdded: (id: string | null) => void,
) {
  return useMemo(() => {
    const skill: SkillActions = {
      change: (id, change) => edit((draft) => skills.changeSkill(draft, id, change)),
      enable: (id, enabled, { skills: known }) => {
        edit((draft) => skills.enableSkills(draft, new Set([id]), enabled));
        const linked = (enabled ? requirementsOf : dependentsOf)(known, id);
        const names = known.filter((each) => linked.has(each.id) && each.enabled !== enabled).map(({ name }) => name);
        if (names.length > 0) showToast(`Also turned ${enabled ? 'on' : 'off'}: ${names.join(', ')}`);
      },
      require: (id, requires) => edit((draft) => skills.requireSkills(draft, id, requires)),
      move: (id, categoryId) => moveWithUndo(edit, id, { categoryId, beforeId: null }),
      remove: (id) => {
        let before: Draft | undefined;
        edit((draft) => {
          before = draft;
          return skills.removeSkill(draft, id);
        });
        open(null);
        const undo = () => edit((draft) => (before ? skills.restoreSkill(draft, id, before) : draft));
        showToast('Skill deleted', { action: { label: 'Undo', onClick: undo } });
      },
      open,
      focused: () => markAdded(null),
    };
    const category: CategoryActions = {
      change: (id, change) => edit((draft) => skills.changeCategory(draft, id, change)),
      remove: (id) => {
        let before: Draft | undefined;
        edit((draft) => {
          before = draft;
          return skills.removeCategory(draft, id);
        });
        const undo = () => edit((draft) => (before ? skills.restoreCategory(draft, id, before) : draft));
        showToast('Category deleted', {
          description: 'Its skills are kept without a category.',
          action: { label: 'Undo', onClick: undo },
        });
      },
      addSkill: (categoryId) => {
        const id = newId('skill');
        edit((draft) => skills.addSkill(draft, { id, name: 'New skill', description: '', categoryId, enabled: true }));
        markAdded(id);
        open(id);
      },
      enable: (ids, enabled) => edit((draft) => skills.enableSkills(draft, new Set(ids), enabled)),
    };
    const addCategory = () => {
      const id = newId('category');
      edit((draft) =>
        skills.addCategory(draft, { id, name: 'New category', color: skills.nextColor(draft.skillCategories) }),
      );
      markAdded(id);
    };
    return { skill, category, addCategory };
  }, [edit, open, markAdded]);
}
