import { Link, Outlet, useNavigate, useSearch } from '@tanstack/react-router';
import { FilterX, ListPlus, Search, SquareKanban, UserRoundPlus, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { taskStates } from '../../../../src/team/work/task-moves.ts';
import { type Priority, workLimits } from '../../../../src/team/work/work.ts';
import { useMembers } from '../../../api/team-queries.ts';
import { useCreateTask, useEpics } from '../../../api/work-queries.ts';
import { DraftNote } from '../../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../../parts/drafts/use-form-draft.ts';
import { fitsLabels } from '../../../parts/team/fits-labels.ts';
import { MemberAvatar } from '../../../parts/team/member-badge.tsx';
import { MemberSelect } from '../../../parts/team/member-select.tsx';
import { PrioritySelect } from '../../../parts/team/task-plan.tsx';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Field } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { Input, TextField } from '../../../ui/input.tsx';
import { labelsIn } from '../../../ui/labels-in.ts';
import { Select } from '../../../ui/select.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { TextareaField } from '../../../ui/textarea.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { useTitle } from '../../../ui/use-title.ts';
import { useSentText } from '../../../ui/use-typed-text.ts';
import { EpicSelect } from '../epics/epic-select.tsx';
import { Board } from './board.tsx';
import type { BoardSearch } from './board-search.ts';
import { nobody } from './filter-tasks.ts';
import { type BoardColumn, useBoardColumns } from './use-board-columns.ts';

export function BoardScreen() {
  useTitle('Team');
  const search = useSearch({ from: '/team/board' });
  const navigate = useNavigate();
  const { add, ...filters } = search;
  const { columns, isEmpty, error, isLoading, isOld, retry } = useBoardColumns(filters);
  const hasNobody = useMembers().data?.members.length === 0;
  // The tasks of one label do not name the others.
  const { label: _, ...withoutLabel } = filters;
  const labels = labelsOf(useBoardColumns(withoutLabel).columns);
  const isFiltered = Object.keys(filters).length > 0;
  const addTask = () => void navigate({ to: '/team', search: { ...filters, add: true } });

  return (
    <>
      {(isFiltered || !isEmpty) && <BoardFilters search={filters} labels={labels} />}
      {isLoading ? (
        <LoadingBoard />
      ) : error ? (
        <ErrorState title="The tasks could not be loaded" error={error} onRetry={retry} />
      ) : isEmpty && isFiltered ? (
        <EmptyState
          title="No tasks found"
          actions={
            <Button icon={<FilterX aria-hidden />} onClick={() => void navigate({ to: '/team', search: {} })}>
              Clear filters
            </Button>
          }
        >
          No tasks match these filters.
        </EmptyState>
      ) : isEmpty ? (
        <EmptyState
          art={<SquareKanban className="size-12" strokeWidth={1.25} />}
          title="No tasks yet"
          actions={
            <>
              <Button variant="primary" size="lg" icon={<ListPlus aria-hidden />} onClick={addTask}>
                New task
              </Button>
              {hasNobody && (
                <Link to="/team/members" search={{ add: true }} className={buttonClass({ size: 'lg' })}>
                  <UserRoundPlus aria-hidden />
                  Add member
                </Link>
              )}
            </>
          }
        >
          Create a task. A member claims it or you assign it, and you follow it on this board until it is reviewed and
          done.
        </EmptyState>
      ) : (
        <Board columns={columns} filters={filters} isOld={isOld} />
      )}
      {add && (
        <NewTaskDialog
          epicId={filters.epic}
          onClose={() => void navigate({ to: '/team', search: filters, replace: true })}
        />
      )}
      <Outlet />
    </>
  );
}

function LoadingBoard() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading board" className="flex gap-3 overflow-hidden">
      {taskStates.map((state, index) => (
        <div key={state} className="flex min-w-52 flex-1 flex-col gap-2 rounded-card bg-sunken/55 p-2">
          <Skeleton className="mx-1 my-1 h-4 w-24" />
          {['a', 'b', 'c'].slice(index % 3).map((key) => (
            <Skeleton key={key} className="h-20 rounded-xl" />
          ))}
        </div>
      ))}
    </div>
  );
}

const all = '';

/** Returns the labels of the loaded tasks, in order. */
function labelsOf(columns: readonly BoardColumn[]): string[] {
  const labels = columns.flatMap(({ tasks }) => tasks.flatMap((task) => task.labels));
  return [...new Set(labels)].sort((one, other) => one.localeCompare(other));
}

function BoardFilters({ search, labels }: { search: BoardSearch; labels: readonly string[] }) {
  const navigate = useNavigate();
  const epics = useEpics().data ?? [];
  const members = useMembers().data?.members ?? [];
  const { q = '' } = search;
  const set = (change: BoardSearch) => {
    const next = { ...search, ...change };
    void navigate({
      to: '/team',
      search: {
        ...(next.q && { q: next.q }),
        ...(next.epic && { epic: next.epic }),
        ...(next.assignee && { assignee: next.assignee }),
        ...(next.label && { label: next.label }),
      },
      replace: true,
      resetScroll: false,
    });
  };
  const [text, type] = useSentText(q, (next) => set({ q: next }));
  const isFiltered = Object.keys(search).length > 0;
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <div className="relative min-w-40 flex-1 max-sm:basis-full sm:max-w-72">
        <Search
          aria-hidden
          className="-translate-y-1/2 pointer-events-none absolute top-1/2 left-2.5 size-3.5 text-faint"
        />
        <Input
          type="search"
          aria-label="Search tasks"
          placeholder="Search tasks"
          value={text}
          onChange={(event) => type(event.currentTarget.value)}
          className="pl-8"
        />
      </div>
      <Select
        label="Epic"
        className="max-w-52 max-sm:flex-1"
        value={search.epic ?? all}
        onChange={(epic) => set({ epic })}
        options={withUnknown(search.epic, [
          { value: all, label: 'All epics' },
          ...epics.map(({ id, title }) => ({ value: id, label: title })),
          { value: nobody, label: 'No epic' },
        ])}
      />
      <Select
        label="Assignee"
        className="max-w-52 max-sm:flex-1"
        value={search.assignee ?? all}
        onChange={(assignee) => set({ assignee })}
        options={withUnknown(search.assignee, [
          { value: all, label: 'All members' },
          ...members.map(({ id }) => ({ value: id, label: id, icon: <MemberAvatar id={id} size={18} /> })),
          { value: nobody, label: 'Unassigned' },
        ])}
      />
      {(labels.length > 0 || search.label !== undefined) && (
        <Select
          label="Label"
          className="max-w-52 max-sm:flex-1"
          value={search.label ?? all}
          onChange={(label) => set({ label })}
          options={withUnknown(search.label, [
            { value: all, label: 'All labels' },
            ...labels.map((label) => ({ value: label, label })),
          ])}
        />
      )}
      {isFiltered && (
        <Button
          variant="ghost"
          icon={<X aria-hidden />}
          onClick={() => set({ q: '', epic: '', assignee: '', label: '' })}
        >
          Clear
        </Button>
      )}
    </div>
  );
}

/** Adds a value from the URL that no longer exists. */
function withUnknown<O extends { value: string; label: string }>(value: string | undefined, options: O[]) {
  return value === undefined || options.some((option) => option.value === value)
    ? options
    : [...options, { value, label: value }];
}

interface NewTaskDialogProps {
  /** The preselected epic. */
  epicId?: string | undefined;
  onClose: () => void;
}

function NewTaskDialog({ epicId = '', onClose }: NewTaskDialogProps) {
  const titleInput = useRef<HTMLInputElement>(null);
  const create = useCreateTask();
  const draft = useFormDraft('task/new', {
    title: '',
    description: '',
    epic: epicId === nobody ? '' : epicId,
    assignee: '',
    priority: 'normal' as Priority,
    dueDate: '',
    labels: '',
  });
  const { title, description, epic, assignee, priority, dueDate, labels } = draft.value;
  const change = (fields: Partial<typeof draft.value>) => draft.set((before) => ({ ...before, ...fields }));
  const [wasSent, setWasSent] = useState(false);

  const onSubmit = () => {
    setWasSent(true);
    if (create.isPending || title.trim() === '' || !fitsLabels(labelsIn(labels))) return;
    const task = {
      title: title.trim(),
      description,
      priority,
      labels: labelsIn(labels),
      ...(dueDate !== '' && { dueDate }),
      ...(epic !== '' && { epicId: epic }),
      ...(assignee !== '' && { assigneeId: assignee }),
    };
    draft.save(create.mutateAsync(task), {
      onSaved: () => showToast(`Created “${task.title}”`),
      whileOpen: onClose,
    });
  };

  return (
    <FormDialog
      onClose={onClose}
      title="New task"
      initialFocus={titleInput}
      submit="Create task"
      onSubmit={onSubmit}
      request={create}
    >
      <DraftNote draft={draft} />
      <TextField
        ref={titleInput}
        label="Title"
        placeholder="Add JWT-based authentication"
        value={title}
        maxLength={workLimits.title}
        autoComplete="off"
        error={wasSent && title.trim() === '' ? 'Enter a title.' : null}
        onChange={(event) => change({ title: event.currentTarget.value })}
      />
      <TextareaField
        label="Description"
        hint="What to do, and when it counts as done. Markdown is supported."
        value={description}
        maxLength={workLimits.description}
        onChange={(event) => change({ description: event.currentTarget.value })}
        inputClass="min-h-28 max-h-72"
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Epic">
          {({ id }) => <EpicSelect id={id} value={epic} onChange={(next) => change({ epic: next })} />}
        </Field>
        <Field label="Assignee" hint={assignee === '' ? 'Any free member can claim it.' : undefined}>
          {({ id }) => (
            <MemberSelect
              id={id}
              label="Assignee"
              none="Unassigned"
              value={assignee}
              onChange={(next) => change({ assignee: next })}
            />
          )}
        </Field>
        <Field label="Priority">
          {({ id }) => <PrioritySelect id={id} value={priority} onChange={(next) => change({ priority: next })} />}
        </Field>
        <TextField
          label="Due date"
          type="date"
          value={dueDate}
          onChange={(event) => change({ dueDate: event.currentTarget.value })}
        />
        <TextField
          className="sm:col-span-2"
          label="Labels"
          hint="Separate with commas."
          value={labels}
          autoComplete="off"
          error={
            wasSent && !fitsLabels(labelsIn(labels))
              ? `Enter up to ${workLimits.labels} labels of up to ${workLimits.label} characters.`
              : null
          }
          onChange={(event) => change({ labels: event.currentTarget.value })}
        />
      </div>
    </FormDialog>
  );
}
