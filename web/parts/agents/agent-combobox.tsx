import type { RefObject } from 'react';
import type { AgentSummary } from '../../../src/agents/agents.contract.ts';
import { Combobox } from '../../ui/combobox.tsx';
import { AgentAvatar } from './agent-avatar.tsx';

export interface AgentComboboxProps {
  label: string;
  hideLabel?: boolean;
  agents: readonly AgentSummary[];
  isLoading: boolean;
  /** Empty: none yet. */
  value: string;
  onChange: (id: string) => void;
  error?: string | null;
  inputRef?: RefObject<HTMLInputElement | null>;
}

/** An agent, found by a part of its name, its id or what it is for. */
export function AgentCombobox({ agents, isLoading, ...rest }: AgentComboboxProps) {
  return (
    <Combobox
      {...rest}
      items={agents}
      placeholder={isLoading ? 'Loading the agents…' : 'Choose an agent'}
      showLabel="Show the agents"
      nothingFits="No agent is called that."
      nameOf={(agent) => agent.name}
      wordsOf={(agent) => `${agent.name} ${agent.id} ${agent.description}`}
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
