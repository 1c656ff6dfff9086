import { useDroppable } from '@dnd-kit/core';
import { SortableContext, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { Ellipsis, Plus, ToggleLeft, ToggleRight, Trash2 } from 'lucide-react';
import { memo, useMemo } from 'react';
import type { SkillCategory } from '../../../../src/agents/agent.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { classes } from '../../../ui/classes.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { useFocusNew } from '../../../ui/use-focus-new.ts';
import { ColorPicker } from './color-picker.tsx';
import { noCategory, type SkillGroup } from './edit-skills.ts';
import { type SkillActions, SkillCard, type SkillLinks } from './skill-card.tsx';
import { issueAt } from './validate-draft.ts';

export interface CategoryActions {
  change: (id: string, change: Partial<Omit<SkillCategory, 'id'>>) => void;
  remove: (id: string) => void;
  addSkill: (categoryId: string | null) => void;
  /** Turns all skills of a group on or off. */
  enable: (ids: readonly string[], enabled: boolean) => void;
}

export interface SkillGroupProps {
  group: SkillGroup;
  /** Indexes in the draft, for the paths of issues. */
  categoryIndex: number;
  skillIndex: ReadonlyMap<string, number>;
  links: SkillLinks;
  categories: readonly SkillCategory[];
  openId: string | null;
  /** The skill or category that was just added. */
  addedId: string | null;
  editable: boolean;
  issues: readonly FieldIssue[];
  /** Whether there are no categories, so that "No category" would be pointless. */
  isOnly: boolean;
  skillActions: SkillActions;
  categoryActions: CategoryActions;
}

export const SkillGroupView = memo(function SkillGroupView(props: SkillGroupProps) {
  const { group, openId, editable, issues, skillActions, categories, skillIndex, links } = props;
  const id = group.category?.id ?? noCategory;
  // The same array while the order is unchanged: a new one would rerender every card on each keystroke.
  const order = group.skills.map((skill) => skill.id).join('\n');
  const items = useMemo(() => order.split('\n'), [order]);
  const { setNodeRef, isOver } = useDroppable({ id: `group:${id}`, disabled: !editable });
  return (
    <section
      ref={setNodeRef}
      aria-label={group.category?.name ?? 'No category'}
      className={classes('rounded-card border-l-4 bg-sunken/55 p-2.5 transition-colors', isOver && 'bg-accent-soft/60')}
      style={{ borderLeftColor: group.category?.color ?? 'var(--line-strong)' }}
    >
      <GroupHeader {...props} />
      <SortableContext items={items} strategy={verticalListSortingStrategy}>
        <ul className="flex flex-col gap-1.5">
          {group.skills.map((skill) => {
            const path = `skills[${skillIndex.get(skill.id) ?? -1}]`;
            return (
              <SkillCard
                key={skill.id}
                skill={skill}
                categories={categories}
                links={links}
                isOpen={skill.id === openId}
                isNew={skill.id === props.addedId}
                editable={editable}
                nameError={issueAt(issues, `${path}.name`)}
                descriptionError={issueAt(issues, `${path}.description`)}
                requiresError={issueAt(issues, `${path}.requires`)}
                actions={skillActions}
              />
            );
          })}
          {group.skills.length === 0 && (
            <li className="rounded-xl border border-line-strong border-dashed px-3 py-3 text-center text-faint text-xs">
              {editable ? 'Drag a skill here or add one.' : 'No skills.'}
            </li>
          )}
        </ul>
      </SortableContext>
    </section>
  );
});

function GroupHeader(props: SkillGroupProps) {
  const { group, links, categoryIndex, editable, issues, isOnly, skillActions, categoryActions, addedId } = props;
  const { category, skills } = group;
  const nameInput = useFocusNew(category !== null && category.id === addedId, skillActions.focused);
  const ids = skills.map((skill) => skill.id);
  const enabled = skills.filter((skill) => links.active.has(skill.id)).length;
  const error = category ? issueAt(issues, `skillCategories[${categoryIndex}].name`) : undefined;
  const name = category?.name ?? 'No category';
  return (
    <header className="mb-2 flex items-center gap-1">
      {category ? (
        <>
          <ColorPicker
            label={`Color of ${name}`}
            value={category.color}
            disabled={!editable}
            onChange={(color) => categoryActions.change(category.id, { color })}
          />
          <input
            ref={nameInput}
            aria-label="Category name"
            aria-invalid={error ? true : undefined}
            title={error}
            value={category.name}
            readOnly={!editable}
            onChange={(event) => categoryActions.change(category.id, { name: event.target.value })}
            className="h-7 min-w-0 flex-1 rounded-md border border-transparent bg-transparent px-1.5 font-semibold text-sm hover:border-line-strong focus:border-accent focus:bg-raised aria-invalid:border-danger read-only:hover:border-transparent max-md:h-9 max-md:text-[16px]"
          />
        </>
      ) : (
        <h3 className="min-w-0 flex-1 px-1.5 font-semibold text-sm leading-7">{isOnly ? 'Skills' : name}</h3>
      )}
      <span className="px-1 text-faint text-xs tabular-nums">
        {enabled} of {skills.length} on
      </span>
      {editable && (
        <>
          <IconButton
            size="sm"
            label={category ? `Add skill to ${name}` : 'Add skill without category'}
            icon={<Plus aria-hidden />}
            onClick={() => categoryActions.addSkill(category?.id ?? null)}
          />
          <Menu trigger={<IconButton size="sm" label={`Actions for ${name}`} icon={<Ellipsis aria-hidden />} />}>
            <MenuItem
              icon={<ToggleRight aria-hidden />}
              disabled={enabled === skills.length}
              onClick={() => categoryActions.enable(ids, true)}
            >
              Turn all on
            </MenuItem>
            <MenuItem
              icon={<ToggleLeft aria-hidden />}
              disabled={enabled === 0}
              onClick={() => categoryActions.enable(ids, false)}
            >
              Turn all off
            </MenuItem>
            {category && (
              <>
                <MenuSeparator />
                <MenuItem danger icon={<Trash2 aria-hidden />} onClick={() => categoryActions.remove(category.id)}>
                  Delete category
                </MenuItem>
              </>
            )}
          </Menu>
        </>
      )}
    </header>
  );
}
