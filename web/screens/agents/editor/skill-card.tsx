import { useSortable } from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import { ChevronDown, GripVertical, Link2, Trash2, X } from 'lucide-react';
import { memo } from 'react';
import type { Skill, SkillCategory } from '../../../../src/agents/agent.ts';
import { dependentsOf } from '../../../../src/agents/skill-requires.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { TextField } from '../../../ui/input.tsx';
import { Select } from '../../../ui/select.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { TextareaField } from '../../../ui/textarea.tsx';
import { useFocusNew } from '../../../ui/use-focus-new.ts';

export interface SkillActions {
  change: (id: string, change: Partial<Omit<Skill, 'id'>>) => void;
  /** Turns a skill on with what it requires, or off with what requires it. */
  enable: (id: string, enabled: boolean, links: SkillLinks) => void;
  require: (id: string, requires: readonly string[]) => void;
  move: (id: string, categoryId: string | null) => void;
  remove: (id: string) => void;
  open: (id: string | null) => void;
  /** The name of an added skill or category has the focus. */
  focused: () => void;
}

/** How the skills of an agent depend on each other. */
export interface SkillLinks {
  skills: readonly Pick<Skill, 'id' | 'name' | 'enabled' | 'requires'>[];
  /** The ids of the skills in the prompt. */
  active: ReadonlySet<string>;
}

export interface SkillCardProps {
  skill: Skill;
  links: SkillLinks;
  categories: readonly SkillCategory[];
  isOpen: boolean;
  /** Whether it was just added. */
  isNew: boolean;
  editable: boolean;
  nameError: string | undefined;
  descriptionError: string | undefined;
  requiresError: string | undefined;
  actions: SkillActions;
}

export const SkillCard = memo(function SkillCard(props: SkillCardProps) {
  const { skill, links, isOpen, editable, nameError, descriptionError, requiresError, actions } = props;
  const sortable = useSortable({ id: skill.id, disabled: !editable });
  const hasError = Boolean(nameError || descriptionError || requiresError);
  const isOn = links.active.has(skill.id);
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
            <span className={classes('block truncate text-sm', isOn ? 'font-medium' : 'text-muted')}>
              {skill.name || 'Unnamed skill'}
            </span>
            {!isOpen && (
              <span aria-hidden className={classes('block truncate text-xs', isOn ? 'text-muted' : 'text-faint')}>
                {firstLine(skill.description) || 'No instructions yet'}
              </span>
            )}
          </span>
          {!isOpen && <Requirements skill={skill} links={links} />}
          <ChevronDown
            aria-hidden
            className={classes('size-4 shrink-0 text-faint transition-transform', isOpen && 'rotate-180')}
          />
        </button>
        <Switch
          label={`Enable ${skill.name || 'skill'}`}
          checked={isOn}
          disabled={!editable}
          onChange={(enabled) => actions.enable(skill.id, enabled, links)}
        />
      </div>
      {isOpen && <SkillForm {...props} />}
    </li>
  );
});

function SkillForm(props: SkillCardProps) {
  const { skill, categories, editable, isNew, nameError, descriptionError, actions } = props;
  const nameInput = useFocusNew(isNew, actions.focused);
  return (
    <div className="flex flex-col gap-3 border-line border-t px-3.5 py-3.5">
      <div className="flex flex-wrap gap-3">
        <TextField
          ref={nameInput}
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
      <RequiresField {...props} />
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

/** Names what a closed skill requires. */
function Requirements({ skill, links }: Pick<SkillCardProps, 'skill' | 'links'>) {
  const names = requiredNames(skill, links).map(({ name }) => name);
  if (names.length === 0) return null;
  return (
    <Badge icon={<Link2 aria-hidden />} title={`Requires ${names.join(', ')}`}>
      {names.length === 1 ? (
        <span className="max-w-32 truncate">{names[0]}</span>
      ) : (
        <span>
          {names.length}
          <span className="sr-only"> required skills</span>
        </span>
      )}
    </Badge>
  );
}

/** Edits what a skill requires. Offers only skills that do not require it themselves. */
function RequiresField({ skill, links, editable, requiresError, actions }: SkillCardProps) {
  const required = requiredNames(skill, links);
  const dependents = dependentsOf(links.skills, skill.id);
  const offered = links.skills.filter(
    ({ id }) => id !== skill.id && !dependents.has(id) && !skill.requires?.includes(id),
  );
  if (required.length === 0 && (!editable || offered.length === 0)) return null;
  const setRequires = (ids: readonly string[]) => actions.require(skill.id, ids);
  const ids = skill.requires ?? [];
  return (
    <section aria-label="Required skills" className="flex flex-col gap-1.5">
      <span aria-hidden className="font-medium text-sm">
        Requires
      </span>
      <div className="flex flex-wrap items-center gap-1.5">
        {required.map(({ id, name }) => (
          <span
            key={id}
            className="inline-flex h-8 items-center gap-1 rounded-lg bg-hover pr-1 pl-2.5 text-sm max-md:h-10"
          >
            {name}
            {editable && (
              <IconButton
                size="sm"
                label={`Stop requiring ${name}`}
                icon={<X aria-hidden />}
                onClick={() => setRequires(ids.filter((each) => each !== id))}
              />
            )}
          </span>
        ))}
        {editable && offered.length > 0 && (
          <Select
            label={`Add a skill that ${skill.name} requires`}
            value=""
            options={[
              { value: '', label: 'Add a skill…' },
              ...offered.map(({ id, name }) => ({ value: id, label: name || 'Unnamed skill' })),
            ]}
            onChange={(id) => id !== '' && setRequires([...ids, id])}
          />
        )}
      </div>
      <p className="text-faint text-xs">While this skill is on, the prompt also includes these, ahead of it.</p>
      {requiresError && (
        <p role="alert" className="text-danger text-xs">
          {requiresError}
        </p>
      )}
    </section>
  );
}

function requiredNames({ requires = [] }: Skill, { skills }: SkillLinks) {
  return requires.map((id) => ({ id, name: skills.find((each) => each.id === id)?.name || id }));
}

function Dot({ color }: { color: string }) {
  return <span aria-hidden style={{ backgroundColor: color }} className="size-2.5 shrink-0 rounded-full" />;
}

function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0]?.slice(0, 200) ?? '';
}
