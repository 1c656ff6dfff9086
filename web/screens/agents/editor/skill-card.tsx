import { useSortable } from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import { ChevronDown, GripVertical, Trash2 } from 'lucide-react';
import { memo } from 'react';
import type { Skill, SkillCategory } from '../../../../src/agents/agent.ts';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { TextField } from '../../../ui/input.tsx';
import { Select } from '../../../ui/select.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { TextareaField } from '../../../ui/textarea.tsx';

export interface SkillActions {
  change: (id: string, change: Partial<Omit<Skill, 'id'>>) => void;
  move: (id: string, categoryId: string | null) => void;
  remove: (id: string) => void;
  open: (id: string | null) => void;
}

export interface SkillCardProps {
  skill: Skill;
  categories: readonly SkillCategory[];
  isOpen: boolean;
  editable: boolean;
  nameError: string | undefined;
  descriptionError: string | undefined;
  actions: SkillActions;
}

export const SkillCard = memo(function SkillCard(props: SkillCardProps) {
  const { skill, isOpen, editable, nameError, descriptionError, actions } = props;
  const sortable = useSortable({ id: skill.id, disabled: !editable });
  const hasError = Boolean(nameError || descriptionError);
  return (
    <li
      ref={sortable.setNodeRef}
      style={{ transform: CSS.Translate.toString(sortable.transform), transition: sortable.transition }}
      className={classes(
        'rounded-xl border bg-raised shadow-card',
        hasError ? 'border-danger' : 'border-line',
        sortable.isDragging && 'relative z-10 opacity-60 ring-2 ring-accent',
      )}
    >
      <div className="flex items-center gap-1 py-1.5 pr-3 pl-1.5">
        {editable && (
          <button
            type="button"
            ref={sortable.setActivatorNodeRef}
            {...sortable.attributes}
            {...sortable.listeners}
            aria-label={`Move ${skill.name}`}
            className="flex h-8 w-5 shrink-0 cursor-grab touch-none items-center justify-center rounded-md text-faint hover:bg-hover hover:text-text max-md:w-7"
          >
            <GripVertical aria-hidden className="size-4" />
          </button>
        )}
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => actions.open(isOpen ? null : skill.id)}
          className="flex min-w-0 flex-1 items-center gap-2 rounded-lg px-1.5 py-1 text-left hover:bg-hover"
        >
          <span className="min-w-0 flex-1">
            <span className={classes('block truncate text-sm', skill.enabled ? 'font-medium' : 'text-muted')}>
              {skill.name || 'Unnamed skill'}
            </span>
            {!isOpen && (
              <span
                aria-hidden
                className={classes('block truncate text-xs', skill.enabled ? 'text-muted' : 'text-faint')}
              >
                {firstLine(skill.description) || 'No instructions yet'}
              </span>
            )}
          </span>
          <ChevronDown
            aria-hidden
            className={classes('size-4 shrink-0 text-faint transition-transform', isOpen && 'rotate-180')}
          />
        </button>
        <Switch
          label={`Enable ${skill.name || 'skill'}`}
          checked={skill.enabled}
          disabled={!editable}
          onChange={(enabled) => actions.change(skill.id, { enabled })}
        />
      </div>
      {isOpen && <SkillForm {...props} />}
    </li>
  );
});

function SkillForm({ skill, categories, editable, nameError, descriptionError, actions }: SkillCardProps) {
  return (
    <div className="flex flex-col gap-3 border-line border-t px-3.5 py-3.5">
      <div className="flex flex-wrap gap-3">
        <TextField
          label="Name"
          value={skill.name}
          error={nameError}
          readOnly={!editable}
          onChange={(event) => actions.change(skill.id, { name: event.target.value })}
          className="flex-1 basis-52"
        />
        <div className="flex flex-col gap-1.5">
          <span aria-hidden className="font-medium text-sm">
            Category
          </span>
          <Select
            label={`Category of ${skill.name}`}
            value={skill.categoryId ?? ''}
            disabled={!editable}
            options={[
              ...categories.map((category) => ({
                value: category.id,
                label: category.name,
                icon: <Dot color={category.color} />,
              })),
              { value: '', label: 'No category', icon: <Dot color="var(--line-strong)" /> },
            ]}
            onChange={(categoryId) => actions.move(skill.id, categoryId === '' ? null : categoryId)}
            className="min-w-36"
          />
        </div>
      </div>
      <TextareaField
        label="Instructions"
        hint="Supports Markdown. Added to the prompt while the skill is on."
        value={skill.description}
        error={descriptionError}
        readOnly={!editable}
        onChange={(event) => actions.change(skill.id, { description: event.target.value })}
        inputClass="max-h-96 font-mono"
      />
      {editable && (
        <div className="flex justify-between gap-2">
          <Button variant="ghost" size="sm" icon={<Trash2 aria-hidden />} onClick={() => actions.remove(skill.id)}>
            Delete skill
          </Button>
          <Button size="sm" onClick={() => actions.open(null)}>
            Done
          </Button>
        </div>
      )}
    </div>
  );
}

function Dot({ color }: { color: string }) {
  return <span aria-hidden style={{ backgroundColor: color }} className="size-2.5 shrink-0 rounded-full" />;
}

function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0]?.slice(0, 200) ?? '';
}
