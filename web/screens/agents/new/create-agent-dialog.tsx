import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { AgentId, agentLimits } from '../../../../src/agents/agent.ts';
import type { AgentTemplateBody } from '../../../../src/agents/agents.contract.ts';
import { slugify } from '../../../../src/base/ids.ts';
import { useAgents, useCreateAgent, useDeletedAgents } from '../../../api/queries.ts';
import { AgentAvatar } from '../../../parts/agents/agent-avatar.tsx';
import { DraftNote } from '../../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../../parts/drafts/use-form-draft.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { TextField } from '../../../ui/input.tsx';
import { DeletedNamesake } from './deleted-namesake.tsx';

export interface CreateAgentDialogProps {
  /** Null for an empty agent. */
  template: AgentTemplateBody | null;
  onClose: () => void;
}

/** Asks for a name. The id follows the name until the user edits it. */
export function CreateAgentDialog({ template, onClose }: CreateAgentDialogProps) {
  const navigate = useNavigate();
  const nameInput = useRef<HTMLInputElement>(null);
  const { data } = useAgents();
  const create = useCreateAgent();
  const draft = useFormDraft(`new-agent/${template?.id ?? ''}`, {
    name: template?.name ?? '',
    typedId: null as string | null,
  });
  const { name, typedId } = draft.value;
  const [wasSent, setWasSent] = useState(false);

  const { data: deleted = [] } = useDeletedAgents();
  const taken = new Set(data?.agents.map((agent) => agent.id));
  const deletedIds = new Set(deleted.map((agent) => agent.id));
  // A deleted agent keeps its id, with its history and memory.
  const freshId = suggestId(name, taken.union(deletedIds));
  const id = typedId ?? freshId;
  const wantedId = typedId ?? slugify(name);
  const namesake = taken.has(wantedId) ? undefined : deleted.find((agent) => agent.id === wantedId);
  // The new agent's id is not a conflict while the editor opens.
  const isCreated = create.isSuccess;
  const nameError = name.trim() === '' ? 'Enter a name.' : null;
  const idError = isCreated ? null : idProblem(id, taken, deletedIds);

  const onSubmit = () => {
    setWasSent(true);
    if (nameError || idError || create.isPending) return;
    draft.save(create.mutateAsync({ ...template?.agent, name: name.trim(), id }), {
      whileOpen: (agent) => void navigate({ to: '/a/$id', params: { id: agent.id } }),
    });
  };

  return (
    <FormDialog
      onClose={onClose}
      size="sm"
      title={template ? `New agent from “${template.name}”` : 'New blank agent'}
      description={template?.description ?? 'Start with a name and add the rest in the editor.'}
      initialFocus={nameInput}
      submit="Create agent"
      onSubmit={onSubmit}
      request={create}
    >
      <DraftNote draft={draft} />
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
            onChange={(event) => draft.set({ name: event.currentTarget.value, typedId })}
            error={wasSent ? nameError : null}
          />
          <TextField
            label="ID"
            value={id}
            maxLength={64}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            inputClass="font-mono"
            onChange={(event) => draft.set({ name, typedId: event.currentTarget.value || null })}
            error={wasSent || typedId !== null ? idError : null}
            hint="Clients use this id to select the agent. You cannot change it later."
          />
        </div>
      </div>
      {namesake && !isCreated && (
        <DeletedNamesake
          agent={namesake}
          freshId={freshId}
          onStartFresh={typedId === null ? undefined : () => draft.set({ name, typedId: null })}
          onRestored={draft.forget}
        />
      )}
    </FormDialog>
  );
}

/** Suggests an id for a name: its slug, with a number appended if it is taken. */
export function suggestId(name: string, taken: ReadonlySet<string>): string {
  const slug = slugify(name);
  if (slug === '' || !taken.has(slug)) return slug;
  for (let number = 2; ; number += 1) {
    const ending = `-${number}`;
    const candidate = `${slug.slice(0, 64 - ending.length)}${ending}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** Returns what is wrong with an id, or null. */
export function idProblem(id: string, taken: ReadonlySet<string>, deleted: ReadonlySet<string>): string | null {
  if (id === '') return 'Enter an ID.';
  const checked = AgentId.safeParse(id);
  if (!checked.success) return `The ID ${checked.error.issues[0]?.message ?? 'is not valid'}.`;
  if (taken.has(id)) return `The ID “${id}” is taken. Choose another one.`;
  return deleted.has(id) ? `The ID “${id}” belongs to a deleted agent. Restore it, or choose another ID.` : null;
}
