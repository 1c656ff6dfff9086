import type { RefObject } from 'react';
import type { AgentSummary } from '../../../src/agents/agents.contract.ts';
import { Combobox } from '../../ui/combobox.tsx';
import { AgentAvatar } from './agent-avatar.tsx';

export interface AgentComboboxProps {
  label: string;
  hideLabel?: boolean;
  agents: readonly AgentSummary[];
  isLoading: boolean;
  /** Empty while nothing is selected. */
  value: string;
  onChange: (id: string) => void;
  error?: string | null;
  inputRef?: RefObject<HTMLInputElement | null>;
}

/** Selects an agent by part of its name, id or description. */
export function AgentCombobox({ agents, isLoading, ...rest }: AgentComboboxProps) {
  return (
    <Combobox
      {...rest}
      items={agents}
      placeholder={isLoading ? 'Loading agents…' : 'Choose an agent'}
      showLabel="Show agents"
      noMatchText="No agents match."
      nameOf={(agent) => agent.name}
      searchTextOf={(agent) => `${agent.name} ${agent.id} ${agent.description}`}
      mark={(agent) => <AgentAvatar id={agent.id} size={20} />}
    >
      {(agent) => (
        <>
          <AgentAvatar id={agent.id} size={24} />
          <span className="min-w-0 flex-1">
            <span className="block truncate">{agent.name}</span>
            <span className="block truncate text-faint text-xs">{agent.description || agent.id}</span>
          </span>
        </>
      )}
    </Combobox>
  );
}
