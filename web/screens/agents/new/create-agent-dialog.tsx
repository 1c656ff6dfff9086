import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { AgentId, agentLimits } from '../../../../src/agents/agent.ts';
import type { AgentTemplateBody } from '../../../../src/agents/agents.contract.ts';
import { slugify } from '../../../../src/base/ids.ts';
import { useAgents, useCreateAgent } from '../../../api/queries.ts';
import { AgentAvatar } from '../../../parts/agents/agent-avatar.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { TextField } from '../../../ui/input.tsx';

export interface CreateAgentDialogProps {
  /** Null for an agent with nothing in it. */
  template: AgentTemplateBody | null;
  onClose: () => void;
}

/** Asks for the name; the id follows it until the person writes one. */
export function CreateAgentDialog({ template, onClose }: CreateAgentDialogProps) {
  const navigate = useNavigate();
  const nameInput = useRef<HTMLInputElement>(null);
  const { data } = useAgents();
  const create = useCreateAgent();
  const [name, setName] = useState(template?.name ?? '');
  const [ownId, setOwnId] = useState<string | null>(null);
  const [wasSent, setWasSent] = useState(false);

  const taken = new Set(data?.agents.map((agent) => agent.id));
  const id = ownId ?? suggestId(name, taken);
  // A fresh agent's own id must not look taken while the editor opens.
  const isDone = create.isSuccess;
  const nameError = name.trim() === '' ? 'Give the agent a name.' : null;
  const idError = isDone ? null : idProblem(id, taken);

  const onSubmit = () => {
    setWasSent(true);
    if (nameError || idError || create.isPending) return;
    create.mutate(
      { ...template?.agent, name: name.trim(), id },
      { onSuccess: (agent) => void navigate({ to: '/a/$id', params: { id: agent.id } }) },
    );
  };

  return (
    <FormDialog
      onClose={onClose}
      size="sm"
      title={template ? `New agent from “${template.name}”` : 'New empty agent'}
      description={template?.description ?? 'Only a name to begin with; you write the rest.'}
      initialFocus={nameInput}
      submit="Create agent"
      onSubmit={onSubmit}
      request={create}
    >
      <div className="flex items-start gap-4">
        <AgentAvatar id={id || 'agent'} size={64} className="mt-6 max-sm:hidden" />
        <div className="flex min-w-0 flex-1 flex-col gap-4">
          <TextField
            ref={nameInput}
            label="Name"
            value={name}
            maxLength={agentLimits.name}
            placeholder="Code Reviewer"
            autoComplete="off"
            onFocus={(event) => event.currentTarget.select()}
            onChange={(event) => setName(event.currentTarget.value)}
            error={wasSent ? nameError : null}
          />
          <TextField
            label="Id"
            value={id}
            maxLength={64}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            inputClass="font-mono"
            onChange={(event) => setOwnId(event.currentTarget.value || null)}
            error={wasSent || ownId !== null ? idError : null}
            hint="Clients use it to become this agent. It cannot change later."
          />
        </div>
      </div>
    </FormDialog>
  );
}

/** The id that goes with a name: its slug, with a number behind it when that is taken. */
export function suggestId(name: string, taken: ReadonlySet<string>): string {
  const slug = slugify(name);
  if (slug === '' || !taken.has(slug)) return slug;
  for (let number = 2; ; number += 1) {
    const ending = `-${number}`;
    const candidate = `${slug.slice(0, 64 - ending.length)}${ending}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** What is wrong with an id, as a sentence, or null. */
export function idProblem(id: string, taken: ReadonlySet<string>): string | null {
  if (id === '') return 'The agent needs an id.';
  const checked = AgentId.safeParse(id);
  if (!checked.success) return `The id ${checked.error.issues[0]?.message ?? 'is not valid'}.`;
  return taken.has(id) ? `An agent with the id “${id}” is already in the zoo.` : null;
}
