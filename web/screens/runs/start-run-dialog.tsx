import { useNavigate } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { useStartRun } from '../../api/run-queries.ts';
import { AgentCombobox } from '../../parts/agents/agent-combobox.tsx';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { ModelField } from '../../parts/models/model-field.tsx';
import { AgentArguments, useRunArguments } from '../../parts/runs/agent-arguments.tsx';
import { controlClass } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextareaField } from '../../ui/textarea.tsx';

export interface StartRunDialogProps {
  /** The agent that is chosen at first. */
  agentId: string | undefined;
  onClose: () => void;
}

/** Asks for an agent and its input, then opens the new run. */
export function StartRunDialog({ agentId, onClose }: StartRunDialogProps) {
  const navigate = useNavigate();
  const start = useStartRun();
  const draft = useFormDraft('run/new', { agent: agentId ?? '', input: '', model: null as string | null });
  const { agent, input, model } = draft.value;
  const given = useRunArguments(agent, 'run/new');
  const { filled, forget, isKnown } = given;
  const isLoading = !isKnown && !given.agent.error;
  const change = (next: Partial<typeof draft.value>) => draft.set((before) => ({ ...before, ...next }));
  const [isChecked, setIsChecked] = useState(false);
  const submit = () => {
    setIsChecked(true);
    if (agent === '' || input.trim() === '' || !isKnown || given.missing.length > 0 || start.isPending) return;
    const run = { agentId: agent, input, ...(model !== null && { model }), ...(filled && { arguments: filled }) };
    draft.save(start.mutateAsync(run), {
      onSaved: forget,
      whileOpen: ({ runId }) => void navigate({ to: '/runs/$id', params: { id: runId } }),
    });
  };
  return (
    <FormDialog
      title="Start a run"
      description="The agent answers in a new chat. You can follow each step here and continue there."
      submit="Start"
      submitIcon={<Play aria-hidden />}
      onSubmit={submit}
      request={{ ...start, isPending: start.isPending || isLoading }}
      onClose={onClose}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
        event.preventDefault();
        submit();
      }}
    >
      <DraftNote draft={draft} />
      <AgentCombobox
        label="Agent"
        value={agent}
        onChange={(next) => change({ agent: next })}
        error={isChecked && agent === '' ? 'Choose an agent.' : null}
      />
      <AgentArguments given={given} isChecked={isChecked} />
      <TextareaField
        label="Input"
        rows={5}
        value={input}
        onChange={(event) => change({ input: event.currentTarget.value })}
        error={isChecked && input.trim() === '' ? 'Enter what the agent should do.' : null}
      />
      <div className="flex flex-col gap-1.5">
        <span className="font-medium text-sm">Model</span>
        <ModelField
          value={model}
          isInvalid={false}
          readOnly={false}
          placeholder="The agent's own model"
          onChange={(next) => change({ model: next })}
          className={`${controlClass} h-9 px-2.5 font-mono text-sm`}
        />
        <span className="text-muted text-xs">Optional, as provider/model.</span>
      </div>
    </FormDialog>
  );
}
