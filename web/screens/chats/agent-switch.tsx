import { Link } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { AgentSummary } from '../../../src/agents/agents.contract.ts';
import type { Chat } from '../../../src/chats/chat.ts';
import type { ChatChange } from '../../api/chat-queries.ts';
import { useAgents } from '../../api/queries.ts';
import { AgentAvatar } from '../../parts/agents/agent-avatar.tsx';
import { AgentCombobox } from '../../parts/agents/agent-combobox.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { Popover } from '../../ui/popover.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ArgumentFields, useArguments } from './argument-fields.tsx';
import { switchClass } from './switch-class.ts';

export interface AgentSwitchProps {
  chat: Chat;
  isBusy: boolean;
  onChoose: (change: Pick<ChatChange, 'agentId' | 'arguments'>) => void;
}

/** Who answers the next message. An agent whose prompt has arguments is asked for them first. */
export function AgentSwitch({ chat, isBusy, onChoose }: AgentSwitchProps) {
  const { data, isPending } = useAgents();
  const [isOpen, setIsOpen] = useState(false);
  const [nextId, setNextId] = useState<string | null>(null);
  const agent = data?.agents.find((each) => each.id === chat.agentId);
  const next = data?.agents.find((each) => each.id === nextId);
  const show = (open: boolean) => {
    setIsOpen(open);
    setNextId(null);
  };
  const choose = (change: Pick<ChatChange, 'agentId' | 'arguments'>) => {
    show(false);
    onChoose(change);
  };
  return (
    <Popover
      title="Agent"
      open={isOpen}
      onOpenChange={show}
      trigger={
        <button
          type="button"
          aria-label={`Agent: ${agent?.name ?? chat.agentId}`}
          disabled={isBusy}
          title={isBusy ? 'It can be changed when the answer has ended' : 'Who answers'}
          className={switchClass}
        >
          <AgentAvatar id={chat.agentId} size={22} />
          <span className={classes('truncate', data && !agent && 'text-danger')}>{agent?.name ?? chat.agentId}</span>
          <ChevronDown aria-hidden className="text-faint" />
        </button>
      }
    >
      <div className="flex w-72 max-w-full flex-col gap-2.5">
        <AgentCombobox
          label="Answered by"
          agents={data?.agents ?? []}
          isLoading={isPending}
          value={next?.id ?? chat.agentId}
          onChange={(id) => {
            const chosen = data?.agents.find((each) => each.id === id);
            if (!chosen || id === chat.agentId) setNextId(null);
            else if (chosen.argumentCount > 0) setNextId(id);
            else choose({ agentId: id });
          }}
        />
        {next ? (
          <NextArguments
            key={next.id}
            agent={next}
            onChoose={(given) => choose({ agentId: next.id, ...(given && { arguments: given }) })}
          />
        ) : (
          <>
            <p className="text-faint text-xs">The next message is answered by it; what was said stays.</p>
            {agent && (
              <Link to="/a/$id" params={{ id: agent.id }} className={buttonClass({ size: 'sm' })}>
                Open {agent.name}
              </Link>
            )}
          </>
        )}
      </div>
    </Popover>
  );
}

interface NextArgumentsProps {
  agent: AgentSummary;
  onChoose: (given: Record<string, string> | undefined) => void;
}

function NextArguments({ agent, onChoose }: NextArgumentsProps) {
  const { agent: loaded, fields, missing, filled } = useArguments(agent.id);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (missing.length === 0 && loaded.data) onChoose(filled);
  };
  if (!loaded.data)
    return loaded.error ? (
      <ErrorState title="The agent could not be loaded" error={loaded.error} onRetry={() => void loaded.refetch()} />
    ) : (
      <Skeleton className="h-14 w-full" />
    );
  return (
    <form noValidate onSubmit={onSubmit} className="flex flex-col gap-2.5">
      <div className="-mx-1 flex max-h-[40dvh] flex-col gap-2.5 overflow-y-auto px-1 pb-1">
        <ArgumentFields {...fields} />
      </div>
      <Button type="submit" size="sm" variant="primary" disabled={missing.length > 0}>
        <span className="truncate">Go on with {agent.name}</span>
      </Button>
      <p role="status" className="text-faint text-xs">
        {missing.length > 0
          ? `Fill in ${missing.join(', ')} first.`
          : 'The next message is answered by it; what was said stays.'}
      </p>
    </form>
  );
}
