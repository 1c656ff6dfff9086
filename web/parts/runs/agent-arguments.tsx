import { RotateCw } from 'lucide-react';
import { useAgents } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ArgumentFields, useArguments } from '../agents/argument-fields.tsx';

/** The values for the arguments of an agent that is about to run. Send nothing while `reasonToWait` returns a reason. */
export function useRunArguments(agentId: string, form: string) {
  const given = useArguments(agentId, form);
  const summary = useAgents().data?.agents.find(({ id }) => id === agentId);
  const isKnown = agentId === '' || given.agent.data !== undefined || summary?.argumentCount === 0;
  return { ...given, isKnown };
}

/** Returns why the agent cannot be asked yet, or null. `name` tells it from another agent in the same form. */
export function reasonToWait(
  { missing, isKnown, agent }: { missing: readonly string[]; isKnown: boolean; agent: { error: unknown } },
  name?: string,
): string | null {
  if (isKnown) return missing.length > 0 ? `Fill in ${missing.join(', ')}${name ? ` for ${name}` : ''} first.` : null;
  return agent.error ? "The agent's arguments could not be loaded. Try again above." : "Loading the agent's arguments…";
}

export interface AgentArgumentsProps {
  given: ReturnType<typeof useRunArguments>;
  /** Whether to point out the required arguments that are still empty. */
  isChecked?: boolean;
}

/** One field per argument of the agent; while they are unknown, says so. */
export function AgentArguments({ given: { agent, fields, missing, isKnown }, isChecked = false }: AgentArgumentsProps) {
  if (isKnown) return <ArgumentFields {...fields} missing={isChecked ? missing : []} />;
  if (agent.error)
    return (
      <div role="alert" className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg bg-danger-soft px-3 py-2">
        <p className="min-w-0 flex-1 basis-48 text-danger text-sm [overflow-wrap:anywhere]">
          The agent's arguments could not be loaded: {errorText(agent.error)}
        </p>
        <Button size="sm" icon={<RotateCw aria-hidden />} busy={agent.isFetching} onClick={() => void agent.refetch()}>
          Try again
        </Button>
      </div>
    );
  return (
    <div role="status" aria-busy="true" aria-label="Loading the agent's arguments" className="flex flex-col gap-1.5">
      <Skeleton className="h-4 w-24" />
      <Skeleton className="h-9 w-full" />
    </div>
  );
}
