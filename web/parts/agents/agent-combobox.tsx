import { type ReactNode, type RefObject, useMemo } from 'react';
import type { AgentSummary } from '../../../src/agents/agents.contract.ts';
import { useAgents } from '../../api/queries.ts';
import { Combobox } from '../../ui/combobox.tsx';
import { AgentAvatar } from './agent-avatar.tsx';

export interface AgentComboboxProps {
  label: string;
  hideLabel?: boolean;
  /** Empty while nothing is selected. */
  value: string;
  onChange: (id: string) => void;
  /** The label of the option without an agent. With it, `value` may also name an agent that no longer exists. */
  none?: string;
  hint?: ReactNode;
  error?: string | null;
  className?: string;
  inputClass?: string;
  inputRef?: RefObject<HTMLInputElement | null>;
}

type Item = Pick<AgentSummary, 'id' | 'name' | 'description'>;

/** Selects an agent by words of its name, id or description. */
export function AgentCombobox({ none, ...rest }: AgentComboboxProps) {
  const { value } = rest;
  const { data, isPending } = useAgents();
  const items = useMemo(() => {
    const agents: readonly Item[] = data?.agents ?? [];
    if (none === undefined) return agents;
    const isUnknown = value !== '' && !agents.some(({ id }) => id === value);
    return [
      { id: '', name: none, description: '' },
      ...agents,
      ...(isUnknown ? [{ id: value, name: value, description: '' }] : []),
    ];
  }, [data, none, value]);
  const doubled = useMemo(() => {
    const names = items.map(({ name }) => name);
    return new Set(names.filter((name, index) => names.indexOf(name) !== index));
  }, [items]);
  return (
    <Combobox
      {...rest}
      items={items}
      placeholder={none ?? (isPending ? 'Loading agents…' : 'Choose an agent')}
      showLabel="Show agents"
      noMatchText="No agents match."
      nameOf={(agent) => agent.name}
      alsoFoundBy={(agent) => ({ keywords: [agent.id], about: agent.description })}
      mark={(agent) => agent.id !== '' && <AgentAvatar id={agent.id} size={20} />}
    >
      {(agent) =>
        agent.id === '' ? (
          <span className="min-w-0 flex-1 truncate">{agent.name}</span>
        ) : (
          <>
            <AgentAvatar id={agent.id} size={24} />
            <span className="min-w-0 flex-1">
              <span className="block truncate">{agent.name}</span>
              <span className="block truncate text-faint text-xs">
                {doubled.has(agent.name) ? agent.id : agent.description || agent.id}
              </span>
            </span>
          </>
        )
      }
    </Combobox>
  );
}
