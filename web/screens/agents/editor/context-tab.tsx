import { FileStack, Plus } from 'lucide-react';
import { useCallback, useState } from 'react';
import { agentLimits } from '../../../../src/agents/agent.ts';
import type { ContextItem } from '../../../../src/agents/context.contract.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { Badge, type BadgeTone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { TextField } from '../../../ui/input.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useFocusNew } from '../../../ui/use-focus-new.ts';
import type { Draft, EditDraft } from './draft.ts';
import { RowActions } from './row-actions.tsx';
import type { DraftContext } from './use-draft-context.ts';
import { issueAt } from './validate-draft.ts';

export interface ContextTabProps {
  draft: Draft;
  editable: boolean;
  issues: readonly FieldIssue[];
  context: DraftContext;
  edit: (edit: EditDraft) => void;
}

/** The files and pages that clients get with the prompt, and what becomes of each. */
export function ContextTab({ draft, editable, issues, context, edit }: ContextTabProps) {
  const list = draft.contextRefs;
  const setList = (change: (list: readonly string[]) => string[]) =>
    edit((before) => ({ ...before, contextRefs: change(before.contextRefs) }));
  const [addedIndex, setAddedIndex] = useState<number | null>(null);
  const onFocused = useCallback(() => setAddedIndex(null), []);
  const add = () => {
    setList((before) => [...before, '']);
    setAddedIndex(list.length);
  };
  const addButton = editable && (
    <Button icon={<Plus aria-hidden />} disabled={list.length >= agentLimits.contextRefs} onClick={add}>
      Add file or page
    </Button>
  );
  const listError = issueAt(issues, 'contextRefs');
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start gap-3">
        <p className="min-w-0 flex-1 basis-64 text-pretty text-muted text-sm">
          Clients get these files and web pages with the prompt. As long as they fit the budget, their text is embedded;
          the others become links.
        </p>
        {list.length > 0 && addButton}
      </div>
      {listError && (
        <p role="alert" className="text-danger text-xs">
          {listError}
        </p>
      )}
      {list.length > 0 && <Budget draft={draft} editable={editable} issues={issues} used={context.used} edit={edit} />}
      {context.error && (
        <ErrorState title="The files could not be read" error={context.error} onRetry={context.retry} />
      )}
      {list.length === 0 ? (
        <EmptyState
          art={<FileStack className="size-10" strokeWidth={1.5} />}
          title="No files or pages yet"
          {...(addButton && { actions: addButton })}
        >
          Add what this agent always needs at hand: a style guide, a specification, a page of your wiki.
        </EmptyState>
      ) : (
        <ol className="flex flex-col gap-2.5">
          {list.map((ref, index) => (
            <ReferenceRow
              // A reference's only identity is its text, which the user is typing.
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              key={index}
              reference={ref}
              index={index}
              count={list.length}
              isNew={index === addedIndex}
              onFocused={onFocused}
              editable={editable}
              error={issueAt(issues, `contextRefs[${index}]`)}
              item={context.error ? undefined : context.found.get(ref)}
              isLoading={context.isLoading}
              setList={setList}
            />
          ))}
        </ol>
      )}
    </div>
  );
}

type BudgetProps = Pick<ContextTabProps, 'draft' | 'editable' | 'issues' | 'edit'> & { used: number };

function Budget({ draft, editable, issues, used, edit }: BudgetProps) {
  const budget = draft.contextBudget;
  const share = Number.isFinite(budget) && budget > 0 ? Math.min(1, used / budget) : 0;
  const setBudget = (text: string) =>
    // An empty field is reported as not valid, not as 0.
    edit((before) => ({ ...before, contextBudget: text === '' ? Number.NaN : Number(text) }));
  return (
    <section aria-label="Token budget" className="rounded-xl border border-line bg-raised p-3.5 shadow-card">
      <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
        <TextField
          label="Token budget"
          type="number"
          min={0}
          max={agentLimits.contextBudget}
          step={500}
          value={Number.isNaN(budget) ? '' : budget}
          error={issueAt(issues, 'contextBudget')}
          readOnly={!editable}
          onChange={(event) => setBudget(event.target.value)}
          className="w-36"
        />
        <div className="min-w-40 flex-1 pb-1.5">
          <p className="mb-1 text-muted text-xs tabular-nums" data-testid="context-used">
            {used === 0
              ? 'Nothing is embedded'
              : `≈ ${used.toLocaleString('en')} of ${budget.toLocaleString('en')} tokens`}
          </p>
          <div aria-hidden className="h-2 overflow-hidden rounded-full bg-pressed">
            <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${share * 100}%` }} />
          </div>
        </div>
      </div>
      <p className="mt-1.5 text-faint text-xs">With 0, clients get links only.</p>
    </section>
  );
}

interface ReferenceRowProps {
  reference: string;
  index: number;
  count: number;
  /** Whether it was just added. */
  isNew: boolean;
  onFocused: () => void;
  editable: boolean;
  error: string | undefined;
  item: ContextItem | undefined;
  isLoading: boolean;
  setList: (change: (list: readonly string[]) => string[]) => void;
}

function ReferenceRow(props: ReferenceRowProps) {
  const { reference, index, count, isNew, onFocused, editable, error, item, isLoading, setList } = props;
  const field = useFocusNew(isNew, onFocused);
  const shown = reference || `reference ${index + 1}`;
  return (
    <li className="flex flex-col gap-2 rounded-xl border border-line bg-raised p-3.5 shadow-card">
      <div className="flex flex-wrap items-start gap-3">
        <TextField
          ref={field}
          label="File or address"
          hideLabel
          value={reference}
          error={error}
          readOnly={!editable}
          placeholder="docs/style.md or https://…"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onChange={(event) => setList((list) => list.with(index, event.target.value))}
          className="min-w-0 flex-1 basis-full sm:basis-52"
          inputClass="font-mono"
        />
        {editable && (
          <div className="flex items-center gap-1 max-sm:w-full max-sm:justify-end">
            <RowActions name={shown} index={index} count={count} setList={setList} />
          </div>
        )}
      </div>
      {item ? (
        <Delivery item={item} />
      ) : (
        isLoading && reference.trim() !== '' && <Skeleton className="h-5 w-48 max-w-full" />
      )}
    </li>
  );
}

const deliveries: Record<ContextItem['delivery'], { label: string; tone: BadgeTone }> = {
  embedded: { label: 'Embedded', tone: 'accent' },
  link: { label: 'Link', tone: 'info' },
  missing: { label: 'Left out', tone: 'warn' },
};

function Delivery({ item: { delivery, tokens, note } }: { item: ContextItem }) {
  const { label, tone } = deliveries[delivery];
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-2 gap-y-1 text-muted text-xs">
      <Badge tone={tone}>{label}</Badge>
      {delivery === 'embedded' && tokens !== null && (
        <span className="tabular-nums">≈ {tokens.toLocaleString('en')} tokens</span>
      )}
      {note && <span className="min-w-0 break-words">{note}</span>}
    </p>
  );
}
