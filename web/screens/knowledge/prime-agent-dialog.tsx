import { useNavigate } from '@tanstack/react-router';
import { useId, useRef, useState } from 'react';
import { type AgentInput, agentLimits } from '../../../src/agents/agent.ts';
import type { DocumentSummary } from '../../../src/knowledge/document-part.ts';
import { useCreateAgent } from '../../api/queries.ts';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { SourceName } from '../../parts/knowledge/source-look.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/input.tsx';

export interface PrimeAgentDialogProps {
  document: DocumentSummary;
  /** The suggested search. */
  query: string;
  onClose: () => void;
}

/** Creates an agent whose prompt includes this passage and similar ones. */
export function PrimeAgentDialog({ document, query, onClose }: PrimeAgentDialogProps) {
  const navigate = useNavigate();
  const sourceId = useId();
  const nameInput = useRef<HTMLInputElement>(null);
  const create = useCreateAgent();
  const [start] = useState(() => ({
    name: oneLine(`${document.title} expert`, agentLimits.name),
    words: oneLine(query, 1_000),
    onlySource: true,
  }));
  const draft = useFormDraft(`new-agent/from/${document.id}`, start);
  const { name, words, onlySource } = draft.value;
  const change = (fields: Partial<typeof start>) => draft.set((before) => ({ ...before, ...fields }));
  const [wasSent, setWasSent] = useState(false);

  const onSubmit = () => {
    setWasSent(true);
    if (name.trim() === '' || words.trim() === '' || create.isPending) return;
    const input: AgentInput = {
      name: name.trim(),
      description: oneLine(`Answers from ${document.title}`, agentLimits.description),
      systemPrompt: startingPrompt,
      knowledge: [{ query: words.trim(), source: onlySource ? document.source : null }],
    };
    draft.save(create.mutateAsync(input), {
      whileOpen: (agent) => void navigate({ to: '/a/$id', params: { id: agent.id }, search: { tab: 'knowledge' } }),
    });
  };

  return (
    <FormDialog
      onClose={onClose}
      title="Create agent from this"
      description="Its prompt always includes the passages that this search finds."
      initialFocus={nameInput}
      submit="Create agent"
      onSubmit={onSubmit}
      request={create}
    >
      <DraftNote draft={draft} />
      <TextField
        ref={nameInput}
        label="Name"
        value={name}
        maxLength={agentLimits.name}
        autoComplete="off"
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => change({ name: event.currentTarget.value })}
        error={wasSent && name.trim() === '' ? 'Enter a name.' : null}
      />
      <TextField
        label="Search"
        value={words}
        maxLength={1_000}
        autoComplete="off"
        onChange={(event) => change({ words: event.currentTarget.value })}
        error={wasSent && words.trim() === '' ? 'Enter a search.' : null}
        hint="You can refine it and add more in the editor."
      />
      <label htmlFor={sourceId} className="flex items-center gap-2 text-sm">
        <Checkbox
          id={sourceId}
          checked={onlySource}
          onChange={(event) => change({ onlySource: event.target.checked })}
        />
        <span className="flex min-w-0 items-center gap-1">
          Only from <SourceName source={document.source} />
        </span>
      </label>
    </FormDialog>
  );
}

const startingPrompt = `Answer from the passages under “Knowledge” below.
Cite the source of every claim. When the passages do not contain the answer, say so instead of guessing.`;

function oneLine(text: string, maxLength: number): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, maxLength);
}
