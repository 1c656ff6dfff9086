import { Link, useNavigate } from '@tanstack/react-router';
import { MessageSquare, RotateCcw } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { StoredRunDetail } from '../../../src/engine/run-store.ts';
import { ApiError } from '../../api/client.ts';
import { useForkRun } from '../../api/run-queries.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { showError, showToast } from '../../ui/toast.tsx';

export function RunActions({ run }: { run: Pick<StoredRunDetail, 'id' | 'agentId' | 'chatId' | 'title'> }) {
  const again = useForkRun(run.id);
  const navigate = useNavigate();
  const open = (id: string) => void navigate({ to: '/runs/$id', params: { id } });
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  // Also says so to a user who has opened another page meanwhile.
  const repeat = () =>
    again.mutateAsync({}).then(
      ({ runId }) => {
        const opens = isHere.current;
        if (opens) open(runId);
        showToast(
          'Run started again',
          opens
            ? { description: 'You are on the new run.', action: { label: 'Original run', onClick: () => open(run.id) } }
            : { description: run.title, action: { label: 'Open new run', onClick: () => open(runId) } },
        );
      },
      (error: unknown) => {
        const title = 'The run could not be repeated';
        if (!(error instanceof ApiError) || error.status !== 400 || run.agentId === null)
          return showError(title, error);
        const search = { start: true as const, agent: run.agentId };
        const action = { label: 'Start a new run', onClick: () => void navigate({ to: '/runs', search }) };
        showToast(title, { description: errorText(error), action });
      },
    );
  return (
    <div className="flex flex-wrap gap-2 pt-1 max-sm:basis-full max-sm:pt-0">
      {run.agentId !== null && (
        <Button size="sm" icon={<RotateCcw aria-hidden />} busy={again.isPending} onClick={() => void repeat()}>
          Run again
        </Button>
      )}
      {run.chatId !== null && (
        <Link
          to="/chat/$id"
          params={{ id: run.chatId }}
          search={{ run: run.id }}
          className={buttonClass({ size: 'sm' })}
        >
          <MessageSquare aria-hidden />
          Open chat
        </Link>
      )}
    </div>
  );
}
