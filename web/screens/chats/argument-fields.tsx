import { useState } from 'react';
import type { AgentArgument } from '../../../src/agents/agent.ts';
import { useAgent } from '../../api/queries.ts';
import { TextareaField } from '../../ui/textarea.tsx';

type Values = Readonly<Record<string, string>>;

const none: readonly AgentArgument[] = [];

/** What an agent's prompt asks for; what was typed for one agent is there for the next that asks for the same. */
export function useArguments(agentId: string) {
  const agent = useAgent(agentId);
  const declared = agent.data?.arguments ?? none;
  const [values, setValues] = useState<Values>({});
  const filled = declared.flatMap(({ name }) => (values[name]?.trim() ? [[name, values[name]] as const] : []));
  return {
    agent,
    fields: {
      declared,
      values,
      onChange: (name: string, value: string) => setValues((before) => ({ ...before, [name]: value })),
    },
    /** Names without which the agent cannot be asked. */
    missing: declared.filter(({ name, required }) => required && !values[name]?.trim()).map(({ name }) => name),
    /** For the hub; undefined when there is nothing to say. */
    filled: filled.length > 0 ? Object.fromEntries(filled) : undefined,
  };
}

export type ArgumentFieldsProps = ReturnType<typeof useArguments>['fields'];

/** One field for each argument. */
export function ArgumentFields({ declared, values, onChange }: ArgumentFieldsProps) {
  return declared.map(({ name, description, required }) => (
    <TextareaField
      key={name}
      label={required ? name : `${name} (optional)`}
      {...(description && { hint: description })}
      rows={1}
      inputClass="min-h-9!"
      value={values[name] ?? ''}
      onChange={(event) => onChange(name, event.target.value)}
    />
  ));
}
