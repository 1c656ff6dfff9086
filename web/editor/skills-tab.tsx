import { DndContext } from '@dnd-kit/core';
import { FolderPlus, Plus, Search, Sparkles } from 'lucide-react';
import { memo, useDeferredValue, useMemo, useState } from 'react';
import type { FieldIssue } from '../../src/base/validate.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Input } from '../ui/input.tsx';
import type { Draft, EditDraft } from './draft.ts';
import { groupSkills, matchesSkill } from './edit-skills.ts';
import { SkillGroupView } from './skill-group.tsx';
import { useSkillActions } from './use-skill-actions.ts';
import { useSkillDrag } from './use-skill-drag.ts';
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
  const [query, setQuery] = useState('');
  const settledQuery = useDeferredValue(query);
  const actions = useSkillActions(edit, setOpenId);
  const drag = useSkillDrag({ skills, skillCategories }, edit);
  const groups = useMemo(
    () =>
      groupSkills({ skills: drag.skills, skillCategories }).map((group) => ({
        ...group,
        skills: group.skills.filter((skill) => skill.id === openId || matchesSkill(skill, settledQuery)),
      })),
    [drag.skills, skillCategories, settledQuery, openId],
  );
  const skillIndex = useMemo(() => new Map(skills.map((skill, index) => [skill.id, index])), [skills]);
  const shown = groups.reduce((sum, group) => sum + group.skills.length, 0);
  const listError = issueAt(issues, 'skills');
  const filtering = settledQuery.trim() !== '';

  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <div className="relative min-w-0 flex-1 basis-32">
          <Search
            aria-hidden
            className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-faint"
          />
          <Input
            type="search"
            aria-label="Filter skills"
            placeholder={`Filter ${skills.length} skills`}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            className="pl-8"
          />
        </div>
        {editable && (
          <>
            <Button icon={<FolderPlus aria-hidden />} onClick={actions.addCategory}>
              Category
            </Button>
            <Button icon={<Plus aria-hidden />} onClick={() => actions.category.addSkill(null)}>
              Skill
            </Button>
          </>
        )}
      </div>
      {listError && (
        <p role="alert" className="text-danger text-xs">
          {listError}
        </p>
      )}
      {skills.length === 0 && skillCategories.length === 0 ? (
        <EmptyState art={<Sparkles className="size-10" strokeWidth={1.5} />} title="No skills yet">
          A skill is a piece of instruction that can be turned on and off. Only skills that are on go into the prompt.
        </EmptyState>
      ) : filtering && shown === 0 ? (
        <EmptyState
          title="Nothing matches"
          actions={<Button onClick={() => setQuery('')}>Clear the filter</Button>}
        >{`No skill has “${settledQuery.trim()}” in its name or instructions.`}</EmptyState>
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
                  categories={skillCategories}
                  openId={openId}
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
