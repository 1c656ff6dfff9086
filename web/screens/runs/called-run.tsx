import { Link } from '@tanstack/react-router';
import { CornerDownRight } from 'lucide-react';
import type { StoredRun } from '../../../src/engine/run-store.ts';
import { stateNames } from './run-words.ts';
import { useAgentName } from './use-agent-name.ts';

/** Leads to a run that another run started by calling an agent. */
export function CalledRun({ run }: { run: StoredRun }) {
  const name = useAgentName(run.agentId) ?? 'an agent';
  return (
    <Link
      to="/runs/$id"
      params={{ id: run.id }}
      className="flex w-fit max-w-full items-center gap-1 py-0.5 text-accent-text text-xs hover:underline"
    >
      <CornerDownRight aria-hidden className="size-3 shrink-0" />
      <span className="min-w-0 truncate">Run of {name}</span>
      {run.status !== 'completed' && <span className="shrink-0 text-muted">· {stateNames[run.status]}</span>}
    </Link>
  );
}
