import type { AgentSummary } from '../../../../src/agents/agents.contract.ts';
import { AgentCombobox } from '../../../parts/agents/agent-combobox.tsx';
import { ModelField } from '../../../parts/models/model-field.tsx';
import { classes } from '../../../ui/classes.ts';
import { controlClass, Field } from '../../../ui/field.tsx';

/** Who answers on one side. */
export interface Contestant {
  agentId: string;
  /** Null for the agent's own model. */
  model: string | null;
}

export interface ContestantFieldsProps {
  agents: readonly AgentSummary[];
  isLoading: boolean;
  value: Contestant;
  onChange: (next: Contestant) => void;
}

export function ContestantFields({ agents, isLoading, value, onChange }: ContestantFieldsProps) {
  return (
    <div className="flex flex-col gap-4">
      <AgentCombobox
        label="Agent"
        agents={agents}
        isLoading={isLoading}
        value={value.agentId}
        onChange={(agentId) => onChange({ ...value, agentId })}
      />
      <Field label="Model" hint="Leave empty to use the agent's own model.">
        {() => (
          <ModelField
            value={value.model}
            isInvalid={false}
            readOnly={false}
            placeholder="provider/model"
            onChange={(model) => onChange({ ...value, model })}
            className={classes(controlClass, 'h-8 px-2.5 font-mono text-xs max-md:h-10')}
          />
        )}
      </Field>
    </div>
  );
}

/** Returns why a contestant cannot be asked, or null. */
export function reasonAgainst(
  { agentId }: Contestant,
  agents: readonly Pick<AgentSummary, 'id' | 'name' | 'argumentCount'>[],
): string | null {
  const agent = agents.find(({ id }) => id === agentId);
  if (!agent) return 'Choose an agent on both sides first.';
  return agent.argumentCount > 0
    ? `${agent.name} needs arguments, so it cannot be compared. Ask it in a chat, or choose another agent.`
    : null;
}
