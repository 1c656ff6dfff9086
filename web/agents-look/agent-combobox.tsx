import { Combobox } from '@base-ui/react/combobox';
import { Check, ChevronsUpDown } from 'lucide-react';
import type { RefObject } from 'react';
import type { AgentSummary } from '../../src/http/api-types.ts';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';
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
export function AgentCombobox(props: AgentComboboxProps) {
  const { label, hideLabel = false, agents, isLoading, value, onChange, error = null, inputRef } = props;
  const chosen = agents.find((agent) => agent.id === value) ?? null;
  return (
    <Field label={label} hideLabel={hideLabel} error={error}>
      {(parts) => (
        <Combobox.Root
          items={agents}
          value={chosen}
          onValueChange={(next) => onChange(next?.id ?? '')}
          itemToStringLabel={(agent) => agent.name}
          isItemEqualToValue={(one, other) => one.id === other.id}
          filter={(agent, query) =>
            `${agent.name} ${agent.id} ${agent.description}`.toLowerCase().includes(query.trim().toLowerCase())
          }
          autoHighlight
        >
          <div className="relative">
            {chosen && (
              <span className="-translate-y-1/2 pointer-events-none absolute top-1/2 left-2">
                <AgentAvatar id={chosen.id} size={20} />
              </span>
            )}
            <Combobox.Input
              {...parts}
              {...(inputRef && { ref: inputRef })}
              placeholder={isLoading ? 'Loading the agents…' : 'Choose an agent'}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              render={<Input className={chosen ? 'pr-8 pl-9!' : 'pr-8'} />}
            />
            <Combobox.Trigger
              aria-label="Show the agents"
              className="absolute inset-y-0 right-0 flex w-8 items-center justify-center text-faint hover:text-text"
            >
              <ChevronsUpDown aria-hidden className="size-3.5" />
            </Combobox.Trigger>
          </div>
          <Combobox.Portal>
            <Combobox.Positioner sideOffset={4} className="z-50">
              <Combobox.Popup className="flex max-h-[min(22rem,var(--available-height))] w-(--anchor-width) min-w-64 flex-col overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-pop">
                <Combobox.Empty className="text-muted text-sm empty:hidden [&:not(:empty)]:px-2 [&:not(:empty)]:py-3">
                  No agent is called that.
                </Combobox.Empty>
                <Combobox.List>
                  {(agent: AgentSummary) => (
                    <Combobox.Item
                      key={agent.id}
                      value={agent}
                      className="flex items-center gap-2.5 rounded-lg px-2 py-1.5 text-sm outline-none data-highlighted:bg-hover max-md:py-2.5"
                    >
                      <AgentAvatar id={agent.id} size={24} />
                      <span className="min-w-0 flex-1">
                        <span className="block truncate">{agent.name}</span>
                        <span className="block truncate text-faint text-xs">{agent.description || agent.id}</span>
                      </span>
                      <span className="w-3.5 text-accent-text">
                        <Combobox.ItemIndicator>
                          <Check aria-hidden className="size-3.5" />
                        </Combobox.ItemIndicator>
                      </span>
                    </Combobox.Item>
                  )}
                </Combobox.List>
              </Combobox.Popup>
            </Combobox.Positioner>
          </Combobox.Portal>
        </Combobox.Root>
      )}
    </Field>
  );
}
