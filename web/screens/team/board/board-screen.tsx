import { Link, Outlet, useNavigate, useSearch } from '@tanstack/react-router';
import { FilterX, ListPlus, SquareKanban, UserRoundPlus } from 'lucide-react';
import { taskStates } from '../../../../src/team/work/task-moves.ts';
import { useMembers } from '../../../api/team-queries.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useTitle } from '../../../ui/use-title.ts';
import { Board } from './board.tsx';
import { BoardFilters } from './board-filters.tsx';
import { NewTaskDialog } from './new-task-dialog.tsx';
import { useBoardColumns } from './use-board-columns.ts';

export function BoardScreen() {
  useTitle('Team');
  const search = useSearch({ from: '/team/board' });
  const navigate = useNavigate();
  const { add, ...filters } = search;
  const { columns, isEmpty, error, isLoading, isOld, retry } = useBoardColumns(filters);
  const hasNobody = useMembers().data?.members.length === 0;
  const isFiltered = Object.keys(filters).length > 0;
  const addTask = () => void navigate({ to: '/team', search: { ...filters, add: true } });

  return (
    <>
      {(isFiltered || !isEmpty) && <BoardFilters search={filters} />}
      {isLoading ? (
        <LoadingBoard />
      ) : error ? (
        <ErrorState title="The tasks could not be read" error={error} onRetry={retry} />
      ) : isEmpty && isFiltered ? (
        <EmptyState
          title="No task matches"
          actions={
            <Button icon={<FilterX aria-hidden />} onClick={() => void navigate({ to: '/team', search: {} })}>
              Clear the filters
            </Button>
          }
        >
          Other words, another epic or another member may find it.
        </EmptyState>
      ) : isEmpty ? (
        <EmptyState
          art={<SquareKanban className="size-12" strokeWidth={1.25} />}
          title="Nothing to do yet"
          actions={
            <>
              <Button variant="primary" size="lg" icon={<ListPlus aria-hidden />} onClick={addTask}>
                New task
              </Button>
              {hasNobody && (
                <Link to="/team/members" search={{ add: true }} className={buttonClass({ size: 'lg' })}>
                  <UserRoundPlus aria-hidden />
                  Add a member
                </Link>
              )}
            </>
          }
        >
          Write down a piece of work. A member claims it or gets it from you, and you see it go over this board until it
          is reviewed and done.
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
    <div role="status" aria-busy="true" aria-label="Loading the board" className="flex gap-3 overflow-hidden">
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
