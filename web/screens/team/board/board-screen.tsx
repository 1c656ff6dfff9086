import { Link, Outlet, useNavigate, useSearch } from '@tanstack/react-router';
import { FilterX, ListPlus, Search, SquareKanban, UserRoundPlus, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { taskStates } from '../../../../src/team/work/task-moves.ts';
import { type Priority, workLimits } from '../../../../src/team/work/work.ts';
import { useMembers } from '../../../api/team-queries.ts';
import { useCreateTask, useEpics, useHasTasks, useTaskLabels } from '../../../api/work-queries.ts';
import { DraftNote } from '../../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../../parts/drafts/use-form-draft.ts';
import { fitsLabels } from '../../../parts/team/fits-labels.ts';
import { MemberAvatar } from '../../../parts/team/member-badge.tsx';
import { MemberSelect } from '../../../parts/team/member-select.tsx';
import { dueDateField, dueDateProblem, PrioritySelect, priorityOptions } from '../../../parts/team/task-plan.tsx';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
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
import { columnWidth } from './board-column.tsx';
import { boardOrder } from './board-order.ts';
import { type BoardSearch, boardSearch } from './board-search.ts';
import { nobody } from './filter-tasks.ts';
import { useBoardColumns } from './use-board-columns.ts';

export function BoardScreen() {
  useTitle('Team');
  const search = useSearch({ from: '/team/board' });
  const navigate = useNavigate();
  const { add, ...filters } = search;
  const { columns, isEmpty, error, isLoading, isOld, retry } = useBoardColumns(filters);
  const addTask = () => void navigate({ to: '/team', search: { ...filters, add: true } });

  return (
    <>
      {(hasFilters(filters) || !isEmpty) && <BoardFilters search={filters} />}
      {isLoading ? (
        <LoadingBoard />
      ) : error ? (
        <ErrorState title="The tasks could not be loaded" error={error} onRetry={retry} />
      ) : isEmpty ? (
        <EmptyBoard filters={filters} onAdd={addTask} />
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

/** Blames the filters only if they hide tasks. */
function EmptyBoard({ filters, onAdd }: { filters: BoardSearch; onAdd: () => void }) {
  const navigate = useNavigate();
  const hasNobody = useMembers().data?.members.length === 0;
  const epics = useEpics();
  const epic = epics.data?.find(({ id }) => id === filters.epic);
  const isFiltered = hasFilters(filters);
  const hasTasks = useHasTasks({ enabled: isFiltered });
  const isNewEpic = epic !== undefined && Object.values(epic.tasks).every((count) => count === 0);
  const isClosed = isNewEpic && (epic.state === 'COMPLETED' || epic.state === 'CANCELLED');
  if (isFiltered && (epics.isPending || hasTasks.isPending)) return <LoadingBoard />;
  if (isClosed || (isFiltered && !isNewEpic && hasTasks.data !== false)) {
    return (
      <EmptyState
        title="No tasks found"
        actions={
          <Button icon={<FilterX aria-hidden />} onClick={() => void navigate({ to: '/team', search: {} })}>
            {isClosed ? 'Show all tasks' : 'Clear filters'}
          </Button>
        }
      >
        {isClosed ? 'This epic is closed and takes no new tasks.' : 'No tasks match these filters.'}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      art={<SquareKanban className="size-12" strokeWidth={1.25} />}
      title={isNewEpic ? `No tasks in “${epic.title}” yet` : 'No tasks yet'}
      actions={
        <>
          <Button variant="primary" size="lg" icon={<ListPlus aria-hidden />} onClick={onAdd}>
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
      Create a task. A member claims it or you assign it, and you follow it on this board until it is reviewed and done.
    </EmptyState>
  );
}

function LoadingBoard() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading board" className="flex gap-2.5 overflow-hidden">
      {taskStates.map((state, index) => (
        <div key={state} className={classes('flex flex-col gap-2 rounded-card bg-sunken/55 p-2', columnWidth)}>
          <Skeleton className="mx-1 my-1 h-4 w-24" />
          {['a', 'b', 'c'].slice(index % 3).map((key) => (
            <Skeleton key={key} className="h-20 rounded-xl" />
          ))}
        </div>
      ))}
    </div>
  );
}

const all = '' as const;

function BoardFilters({ search }: { search: BoardSearch }) {
  const navigate = useNavigate();
  const epics = useEpics().data ?? [];
  const members = useMembers().data?.members ?? [];
  const labels = useTaskLabels().data ?? [];
  const { q = '' } = search;
  const order = boardOrder.use();
  const show = (next: BoardSearch) => void navigate({ to: '/team', search: next, replace: true, resetScroll: false });
  // An empty text removes a filter.
  const set = (change: { [K in keyof BoardSearch]?: BoardSearch[K] | '' }) =>
    show(boardSearch({ ...search, ...change }));
  const [text, type] = useSentText(q, (next) => set({ q: next }));
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
        className="max-w-52 max-sm:flex-auto max-sm:px-2"
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
        className="max-w-52 max-sm:flex-auto max-sm:px-2"
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
          className="max-w-52 max-sm:flex-auto max-sm:px-2"
          value={search.label ?? all}
          onChange={(label) => set({ label })}
          options={withUnknown(search.label, [
            { value: all, label: 'All labels' },
            ...labels.map((label) => ({ value: label, label })),
          ])}
        />
      )}
      <Select
        label="Priority"
        className="max-sm:flex-auto max-sm:px-2"
        value={search.priority ?? all}
        onChange={(priority) => set({ priority })}
        options={[{ value: all, label: 'Any priority' }, ...priorityOptions]}
      />
      <Select
        label="Due"
        className="max-sm:flex-auto max-sm:px-2"
        value={search.due ?? all}
        onChange={(due) => set({ due })}
        options={[
          { value: all, label: 'Any due date' },
          { value: 'overdue', label: 'Overdue' },
          { value: 'week', label: 'Due within 7 days' },
        ]}
      />
      <Select
        label="Sort by"
        className="max-sm:flex-auto max-sm:px-2"
        value={order[0] ?? all}
        onChange={(next) => boardOrder.save(next === all ? [] : [next])}
        options={[
          { value: all, label: 'Recently changed' },
          { value: 'urgency', label: 'Most urgent' },
        ]}
      />
      {hasFilters(search) && (
        <Button variant="ghost" icon={<X aria-hidden />} onClick={() => show({})}>
          Clear
        </Button>
      )}
    </div>
  );
}

function hasFilters(filters: BoardSearch): boolean {
  return Object.keys(filters).length > 0;
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
  const dueInput = useRef<HTMLInputElement>(null);
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
  const [dueProblem, setDueProblem] = useState<string | null>(null);

  const onSubmit = () => {
    setWasSent(true);
    const wrongDate = dueDateProblem(dueInput.current);
    setDueProblem(wrongDate);
    if (create.isPending || title.trim() === '' || wrongDate !== null || !fitsLabels(labelsIn(labels))) return;
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
          {...dueDateField}
          ref={dueInput}
          label="Due date"
          value={dueDate}
          error={dueProblem}
          onChange={(event) => {
            setDueProblem(null);
            change({ dueDate: event.currentTarget.value });
          }}
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
