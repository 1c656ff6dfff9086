import type { AgentSummary } from '../../../../src/agents/agents.contract.ts';
import { AgentCombobox } from '../../../parts/agents/agent-combobox.tsx';
import { ModelField } from '../../../parts/models/model-field.tsx';
import { AgentArguments, type AgentArgumentsProps, reasonToWait } from '../../../parts/runs/agent-arguments.tsx';
import { classes } from '../../../ui/classes.ts';
import { controlClass, Field } from '../../../ui/field.tsx';

/** Who answers on one side. */
export interface Contestant {
  agentId: string;
  /** Empty for the agent's own model. */
  model: string;
}

export interface ContestantFieldsProps {
  value: Contestant;
  given: AgentArgumentsProps['given'];
  onChange: (next: Contestant) => void;
}

export function ContestantFields({ value, given, onChange }: ContestantFieldsProps) {
  return (
    <div className="flex flex-col gap-4">
      <AgentCombobox label="Agent" value={value.agentId} onChange={(agentId) => onChange({ ...value, agentId })} />
      <Field label="Model" hint="Leave empty to use the agent's own model.">
        {() => (
          <ModelField
            value={value.model}
            isInvalid={false}
            readOnly={false}
            placeholder="provider/model"
            onChange={(model) => onChange({ ...value, model: model ?? '' })}
            className={classes(controlClass, 'h-8 px-2.5 font-mono text-xs max-md:h-10')}
          />
        )}
      </Field>
      <AgentArguments given={given} />
    </div>
  );
}

/** Returns why a contestant cannot be asked, or null. */
export function reasonAgainst(
  { agentId }: Pick<Contestant, 'agentId'>,
  given: Parameters<typeof reasonToWait>[0],
  agents: readonly Pick<AgentSummary, 'id' | 'name'>[],
): string | null {
  const agent = agents.find(({ id }) => id === agentId);
  if (!agent) return 'Choose an agent on both sides first.';
  return reasonToWait(given, agent.name);
}
