import type { AgentArgument } from '../../../src/agents/agent.ts';
import { holdsSecretName } from '../../../src/base/secret-names.ts';
import { useAgent } from '../../api/queries.ts';
import { TextareaField } from '../../ui/textarea.tsx';
import { useFormDraft } from '../drafts/use-form-draft.ts';

type Values = readonly (readonly [name: string, value: string])[];
const noValues: Values = [];

const none: readonly AgentArgument[] = [];

/** Holds the values for an agent's prompt arguments. A value stays when the next agent has an argument of the same name. `form` names their draft. */
export function useArguments(agentId: string, form: string) {
  const agent = useAgent(agentId);
  const declared = agent.data?.arguments ?? none;
  const draft = useFormDraft(`${form}/arguments`, noValues, { withoutSecrets });
  const values: Readonly<Record<string, string>> = Object.fromEntries(draft.value);
  const filled = declared.flatMap(({ name }) => (values[name]?.trim() ? [[name, values[name]] as const] : []));
  return {
    agent,
    fields: {
      declared,
      values,
      onChange: (name: string, value: string) =>
        draft.set((before) => [...before.filter(([each]) => each !== name), [name, value] as const]),
    },
    /** The required arguments that are still empty. */
    missing: declared.filter(({ name, required }) => required && !values[name]?.trim()).map(({ name }) => name),
    /** The values for the request; undefined when all are empty. */
    filled: filled.length > 0 ? Object.fromEntries(filled) : undefined,
    /** Call when the values were sent. */
    forget: draft.forget,
  };
}

function withoutSecrets(values: Values): Values {
  return values.filter(([name]) => !holdsSecretName(name));
}

export type ArgumentFieldsProps = ReturnType<typeof useArguments>['fields'] & {
  /** The names of empty arguments that the form was refused for. */
  missing?: readonly string[];
};

/** Renders one field per argument. */
export function ArgumentFields({ declared, values, onChange, missing = [] }: ArgumentFieldsProps) {
  return declared.map(({ name, description, required }) => (
    <TextareaField
      key={name}
      label={required ? name : `${name} (optional)`}
      {...(description && { hint: description })}
      rows={1}
      inputClass="min-h-9!"
      value={values[name] ?? ''}
      error={missing.includes(name) ? 'Enter a value.' : null}
      onChange={(event) => onChange(name, event.target.value)}
    />
  ));
}
