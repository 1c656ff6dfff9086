import { Braces, Plus } from 'lucide-react';
import { memo, useCallback, useMemo, useState } from 'react';
import type { AgentArgument } from '../../../../src/agents/agent.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { TextField } from '../../../ui/input.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { useFocusNew } from '../../../ui/use-focus-new.ts';
import type { Draft, EditDraft } from './draft.ts';
import { countReferences, undeclaredNames } from './references.ts';
import { RowActions } from './row-actions.tsx';
import { issueAt } from './validate-draft.ts';

export interface ArgumentsTabProps {
  draft: Draft;
  editable: boolean;
  issues: readonly FieldIssue[];
  edit: (edit: EditDraft) => void;
}

export const ArgumentsTab = memo(function ArgumentsTab({ draft, editable, issues, edit }: ArgumentsTabProps) {
  const { systemPrompt, skills, rules, references, knowledge } = draft;
  const list = draft.arguments;
  const texts = useMemo(
    () => [
      systemPrompt,
      ...skills.map((skill) => skill.description),
      ...[...rules, ...references].map((item) => item.text),
      ...knowledge.map((each) => each.query),
    ],
    [systemPrompt, skills, rules, references, knowledge],
  );
  const uses = useMemo(() => countReferences(texts), [texts]);
  const missing = useMemo(
    () =>
      undeclaredNames(
        texts,
        list.map((argument) => argument.name),
      ),
    [texts, list],
  );
  const setList = (change: (list: readonly AgentArgument[]) => AgentArgument[]) =>
    edit((before) => ({ ...before, arguments: change(before.arguments) }));
  const [addedIndex, setAddedIndex] = useState<number | null>(null);
  const onFocused = useCallback(() => setAddedIndex(null), []);
  const add = (name: string) => {
    setList((before) => [...before, { name, description: '', required: false }]);
    setAddedIndex(list.length);
  };
  const listError = issueAt(issues, 'arguments');

  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start gap-3">
        <p className="min-w-0 flex-1 basis-64 text-pretty text-muted text-sm">
          Clients ask for these values when they use the agent as a prompt. Write <Code>{'{name}'}</Code> in the system
          prompt, a skill or a knowledge search to insert one.
        </p>
        {editable && (
          <Button icon={<Plus aria-hidden />} onClick={() => add(freeName(list))}>
            Add argument
          </Button>
        )}
      </div>
      {listError && (
        <p role="alert" className="text-danger text-xs">
          {listError}
        </p>
      )}
      {editable && missing.length > 0 && (
        <div className="flex flex-wrap items-center gap-1.5 text-muted text-xs">
          <span>Used but not declared:</span>
          {missing.slice(0, 12).map((name) => (
            <Button key={name} size="sm" icon={<Plus aria-hidden />} onClick={() => add(name)}>
              <span className="font-mono">{name}</span>
            </Button>
          ))}
        </div>
      )}
      {list.length === 0 ? (
        <EmptyState art={<Braces className="size-10" strokeWidth={1.5} />} title="No arguments yet">
          Add an argument for each value that changes between uses, such as a language or a topic.
        </EmptyState>
      ) : (
        <ol className="@container flex flex-col gap-2.5">
          {list.map((argument, index) => (
            <ArgumentRow
              // An argument's only identity is its name, which the user is typing.
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              key={index}
              argument={argument}
              index={index}
              count={list.length}
              isNew={index === addedIndex}
              onFocused={onFocused}
              uses={uses.get(argument.name) ?? 0}
              editable={editable}
              issues={issues}
              setList={setList}
            />
          ))}
        </ol>
      )}
    </div>
  );
});

interface ArgumentRowProps {
  argument: AgentArgument;
  index: number;
  count: number;
  /** Whether it was just added. */
  isNew: boolean;
  onFocused: () => void;
  uses: number;
  editable: boolean;
  issues: readonly FieldIssue[];
  setList: (change: (list: readonly AgentArgument[]) => AgentArgument[]) => void;
}

function ArgumentRow(props: ArgumentRowProps) {
  const { argument, index, count, isNew, onFocused, uses, editable, issues, setList } = props;
  const nameInput = useFocusNew(isNew, onFocused);
  const path = `arguments[${index}]`;
  const change = (fields: Partial<AgentArgument>) =>
    setList((list) => list.map((each, at) => (at === index ? { ...each, ...fields } : each)));
  return (
    <li className="flex flex-wrap items-start gap-3 rounded-xl border border-line bg-raised p-3.5 shadow-card">
      <TextField
        ref={nameInput}
        label="Name"
        value={argument.name}
        error={issueAt(issues, `${path}.name`) ?? issueAt(issues, path)}
        hint={uses === 0 ? 'Not used yet' : `Used ${uses === 1 ? 'once' : `${uses} times`}`}
        readOnly={!editable}
        spellCheck={false}
        autoCapitalize="off"
        onChange={(event) => change({ name: event.target.value })}
        className="flex-1 basis-36"
        inputClass="font-mono"
      />
      <TextField
        label="Description"
        value={argument.description}
        error={issueAt(issues, `${path}.description`)}
        readOnly={!editable}
        onChange={(event) => change({ description: event.target.value })}
        className="flex-[2] basis-52"
      />
      <div className="flex @max-[39rem]:w-full items-center gap-1 self-start @max-[39rem]:pt-0 pt-6.5">
        <span className="mr-2 flex h-8 @max-[39rem]:flex-1 items-center gap-2 text-sm">
          <Switch
            label={`Require ${argument.name || 'argument'}`}
            checked={argument.required}
            disabled={!editable}
            onChange={(required) => change({ required })}
          />
          <span aria-hidden>Required</span>
        </span>
        {editable && <RowActions name={argument.name} index={index} count={count} setList={setList} />}
      </div>
    </li>
  );
}

function Code({ children }: { children: string }) {
  return <code className="rounded bg-hover px-1 py-0.5 font-mono text-xs">{children}</code>;
}

function freeName(list: readonly AgentArgument[]): string {
  for (let number = list.length + 1; ; number += 1) {
    const name = `argument${number}`;
    if (!list.some((argument) => argument.name === name)) return name;
  }
}
