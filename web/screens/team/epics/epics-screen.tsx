import { useNavigate, useSearch } from '@tanstack/react-router';
import { FolderKanban } from 'lucide-react';
import type { EpicWithTasks } from '../../../../src/team/work/work.ts';
import { useEpics } from '../../../api/work-queries.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useTitle } from '../../../ui/use-title.ts';
import { EpicCard } from './epic-card.tsx';
import { EpicDialog } from './epic-dialog.tsx';

export function EpicsScreen() {
  useTitle('Epics');
  const { data, error, refetch } = useEpics();
  const { add, epic: editId } = useSearch({ from: '/team/epics' });
  const navigate = useNavigate({ from: '/team/epics' });
  const edited = data?.find(({ id }) => id === editId);
  const close = () => void navigate({ search: {}, replace: true, resetScroll: false });
  return (
    <div className="mx-auto max-w-6xl">
      {data ? (
        data.length === 0 ? (
          <EmptyState
            art={<FolderKanban className="size-12" strokeWidth={1.25} />}
            title="No epics yet"
            actions={
              <Button
                variant="primary"
                size="lg"
                icon={<FolderKanban aria-hidden />}
                onClick={() => void navigate({ search: { add: true } })}
              >
                New epic
              </Button>
            }
          >
            An epic is a larger goal. Its tasks say how far it is, and an orchestrator can look after it.
          </EmptyState>
        ) : (
          <ul aria-label="Epics" className="flex flex-col gap-3">
            {openFirst(data).map((epic) => (
              <EpicCard key={epic.id} epic={epic} />
            ))}
          </ul>
        )
      ) : error ? (
        <ErrorState title="The epics could not be read" error={error} onRetry={() => void refetch()} />
      ) : (
        <div role="status" aria-busy="true" aria-label="Loading the epics" className="flex flex-col gap-3">
          <Skeleton className="h-28 rounded-card" />
          <Skeleton className="h-28 rounded-card" />
        </div>
      )}
      {add && <EpicDialog onClose={close} />}
      {edited && <EpicDialog key={edited.id} epic={edited} onClose={close} />}
    </div>
  );
}

/** What is over comes last; each half stays in its order. */
function openFirst(epics: readonly EpicWithTasks[]): EpicWithTasks[] {
  const isOver = ({ state }: EpicWithTasks) => state === 'COMPLETED' || state === 'CANCELLED';
  return [...epics.filter((epic) => !isOver(epic)), ...epics.filter(isOver)];
}
