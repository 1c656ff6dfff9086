import { BookOpen, Plus, Trash2 } from 'lucide-react';
import { memo, useCallback, useState } from 'react';
import type { PromptItem } from '../../../../src/agents/prompt-item.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Field } from '../../../ui/field.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { TextField } from '../../../ui/input.tsx';
import { Select } from '../../../ui/select.tsx';
import { TextareaField } from '../../../ui/textarea.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { useFocusNew } from '../../../ui/use-focus-new.ts';
import type { Draft, EditDraft } from './draft.ts';
import { issueAt } from './validate-draft.ts';

export interface RulesTabProps {
  rules: Draft['rules'];
  references: Draft['references'];
  editable: boolean;
  issues: readonly FieldIssue[];
  edit: (edit: EditDraft) => void;
}

type Kind = 'rules' | 'references';
const words = {
  rules: { title: 'Rules', one: 'rule', mention: 'rule' },
  references: { title: 'References', one: 'reference', mention: 'ref' },
} as const;
const includes: { value: PromptItem['include']; label: string }[] = [
  { value: 'always', label: 'Always' },
  { value: 'agent', label: 'When it fits the message' },
  { value: 'manual', label: 'When a message names it' },
];

export const RulesTab = memo(function RulesTab({ rules, references, editable, issues, edit }: RulesTabProps) {
  const lists = { rules, references };
  const [added, setAdded] = useState<{ kind: Kind; index: number } | null>(null);
  const onFocused = useCallback(() => setAdded(null), []);
  const add = (kind: Kind) => {
    edit((before) => ({ ...before, [kind]: [...before[kind], newItem(before[kind], words[kind].one)] }));
    setAdded({ kind, index: lists[kind].length });
  };
  const remove = (kind: Kind, index: number, item: PromptItem) => {
    edit((before) => ({ ...before, [kind]: before[kind].toSpliced(index, 1) }));
    const undo = () => edit((before) => ({ ...before, [kind]: before[kind].toSpliced(index, 0, item) }));
    showToast(`Deleted the ${words[kind].one} “${item.name}”`, { action: { label: 'Undo', onClick: undo } });
  };
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start gap-3">
        <p className="min-w-0 flex-1 basis-64 text-pretty text-muted text-sm">
          Rules say how the agent works, references what it knows. Write{' '}
          <code className="rounded bg-hover px-1 py-0.5 font-mono text-xs">@rule:name</code> or{' '}
          <code className="rounded bg-hover px-1 py-0.5 font-mono text-xs">@ref:name</code> in a message or in the
          prompt of an offered tool to include one.
        </p>
        {editable && (
          <div className="flex gap-2">
            <Button icon={<Plus aria-hidden />} onClick={() => add('rules')}>
              Add rule
            </Button>
            <Button icon={<Plus aria-hidden />} onClick={() => add('references')}>
              Add reference
            </Button>
          </div>
        )}
      </div>
      {rules.length + references.length === 0 && (
        <EmptyState art={<BookOpen className="size-10" strokeWidth={1.5} />} title="No rules or references yet">
          Skills are always part of the prompt. Use rules and references for texts that only some conversations need.
        </EmptyState>
      )}
      {(['rules', 'references'] as const)
        .filter((kind) => lists[kind].length > 0)
        .map((kind) => (
          <section key={kind} aria-label={words[kind].title} className="flex flex-col gap-2">
            <h3 className="font-semibold text-sm">{words[kind].title}</h3>
            <ol className="flex flex-col gap-2.5">
              {lists[kind].map((item, index) => (
                <ItemCard
                  // An item's only identity is its name, which the user is typing.
                  // biome-ignore lint/suspicious/noArrayIndexKey: see above
                  key={index}
                  kind={kind}
                  item={item}
                  path={`${kind}[${index}]`}
                  isNew={added?.kind === kind && added.index === index}
                  onFocused={onFocused}
                  editable={editable}
                  issues={issues}
                  onChange={(fields) =>
                    edit((before) => ({
                      ...before,
                      [kind]: before[kind].map((each, at) => (at === index ? { ...each, ...fields } : each)),
                    }))
                  }
                  onDelete={() => remove(kind, index, item)}
                />
              ))}
            </ol>
          </section>
        ))}
    </div>
  );
});

interface ItemCardProps {
  kind: Kind;
  item: PromptItem;
  path: string;
  /** Whether it was just added. */
  isNew: boolean;
  onFocused: () => void;
  editable: boolean;
  issues: readonly FieldIssue[];
  onChange: (fields: Partial<PromptItem>) => void;
  onDelete: () => void;
}

function ItemCard(props: ItemCardProps) {
  const { kind, item, path, isNew, onFocused, editable, issues, onChange, onDelete } = props;
  const nameInput = useFocusNew(isNew, onFocused);
  return (
    <li className="flex flex-col gap-3 rounded-xl border border-line bg-raised p-3.5 shadow-card">
      <div className="flex flex-wrap items-start gap-3">
        <TextField
          ref={nameInput}
          label="Name"
          value={item.name}
          hint={`@${words[kind].mention}:${item.name}`}
          error={issueAt(issues, `${path}.name`) ?? issueAt(issues, path)}
          readOnly={!editable}
          spellCheck={false}
          onChange={(event) => onChange({ name: event.target.value })}
          className="flex-1 basis-36"
          inputClass="font-mono"
        />
        <TextField
          label="Description"
          value={item.description}
          error={issueAt(issues, `${path}.description`)}
          readOnly={!editable}
          onChange={(event) => onChange({ description: event.target.value })}
          className="flex-[2] basis-44"
        />
        <div className="flex flex-1 items-start gap-3 max-sm:gap-2">
          <Field label="Included">
            {({ id }) => (
              <Select
                id={id}
                label="Included"
                value={item.include}
                options={includes}
                disabled={!editable}
                onChange={(include) => onChange({ include })}
                className="max-md:h-10!"
              />
            )}
          </Field>
          <TextField
            label="Priority"
            type="number"
            min={0}
            max={999}
            value={item.priority}
            hint="Lowest first"
            error={issueAt(issues, `${path}.priority`)}
            readOnly={!editable}
            onChange={(event) => onChange({ priority: Number(event.target.value) })}
            className="w-20"
          />
          {editable && (
            <div className="ml-auto pt-6.5">
              <IconButton
                size="sm"
                label={`Delete ${words[kind].one} ${item.name}`}
                icon={<Trash2 aria-hidden />}
                onClick={onDelete}
              />
            </div>
          )}
        </div>
      </div>
      <TextareaField
        label="Text"
        value={item.text}
        error={issueAt(issues, `${path}.text`)}
        readOnly={!editable}
        onChange={(event) => onChange({ text: event.target.value })}
        inputClass="max-h-96"
      />
    </li>
  );
}

function newItem(items: readonly PromptItem[], word: string): PromptItem {
  for (let number = items.length + 1; ; number += 1) {
    const name = `${word}-${number}`;
    if (!items.some((item) => item.name === name))
      return { name, description: '', priority: 500, text: '', include: 'manual' };
  }
}
