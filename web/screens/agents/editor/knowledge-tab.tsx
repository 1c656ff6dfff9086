import { BookOpenText, Plus } from 'lucide-react';
import { agentLimits, type KnowledgeQuery } from '../../../../src/agents/agent.ts';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { needsEmbeddings, useKnowledge } from '../../../api/knowledge-queries.ts';
import { useStatus } from '../../../api/queries.ts';
import { EmbeddingsNeeded } from '../../../parts/knowledge/embeddings-needed.tsx';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState, errorText } from '../../../ui/error-state.tsx';
import type { Draft, EditDraft } from './draft.ts';
import { KnowledgeQueryCard } from './knowledge-query-card.tsx';
import { SampleValues } from './sample-values.tsx';
import { TryPrompt } from './try-prompt.tsx';
import type { DraftPriming } from './use-draft-priming.ts';
import { issueAt } from './validate-draft.ts';

export interface KnowledgeTabProps {
  agent: AgentDetail;
  draft: Draft;
  issues: readonly FieldIssue[];
  priming: DraftPriming;
  edit: (edit: EditDraft) => void;
}

/** What the agent is primed with, and which passages its prompt would get now. */
export function KnowledgeTab({ agent, draft, issues, priming, edit }: KnowledgeTabProps) {
  const { editable } = agent;
  const { data: overview } = useKnowledge();
  const { data: status } = useStatus();
  const hasScript = agent.source === 'lua' || agent.source === 'code';
  const list = draft.knowledge;
  const setList = (change: (list: readonly KnowledgeQuery[]) => KnowledgeQuery[]) =>
    edit((before) => ({ ...before, knowledge: change(before.knowledge) }));
  const declare = (name: string) =>
    edit((before) =>
      before.arguments.some((argument) => argument.name === name)
        ? before
        : { ...before, arguments: [...before.arguments, { name, description: '', required: false }] },
    );
  const add = () => setList((before) => [...before, { query: '', source: null, tags: [], mode: null, limit: 3 }]);
  const addButton = editable && (
    <Button
      aria-label="Add a search"
      icon={<Plus aria-hidden />}
      disabled={list.length >= agentLimits.knowledge}
      onClick={add}
    >
      Search
    </Button>
  );
  const listError = issueAt(issues, 'knowledge');
  const needed = needsEmbeddings(priming.error);

  return (
    <div className="flex flex-col gap-4">
      {hasScript && <TryPrompt agent={agent} />}
      {(!hasScript || list.length > 0) && (
        <>
          <div className="flex flex-wrap items-start gap-3">
            <p className="min-w-0 flex-1 basis-64 text-pretty text-muted text-sm">
              Each time the prompt is made, these searches run and the passages they find are added to its end.
            </p>
            {list.length > 0 && addButton}
          </div>
          {listError && (
            <p role="alert" className="text-danger text-xs">
              {listError}
            </p>
          )}
          {list.length > 0 && (
            <SampleValues
              declared={draft.arguments}
              queries={list.map((each) => each.query)}
              samples={priming.samples}
              onChange={priming.setSample}
            />
          )}
          {needed ? (
            <EmbeddingsNeeded message={errorText(priming.error)} configFile={status?.configFile ?? null} />
          ) : (
            priming.error && (
              <ErrorState title="The passages could not be found" error={priming.error} onRetry={priming.retry} />
            )
          )}
          {list.length === 0 ? (
            <EmptyState
              art={<BookOpenText className="size-10" strokeWidth={1.5} />}
              title="Primed with nothing"
              {...(addButton && { actions: addButton })}
            >
              {overview?.documents === 0
                ? 'The knowledge base is empty. Add a folder under Knowledge, then say here what to look up.'
                : 'Add a search, and the agent begins each conversation with what it finds.'}
            </EmptyState>
          ) : (
            <ol className="flex flex-col gap-3">
              {list.map((query, index) => (
                <KnowledgeQueryCard
                  // An entry has only its words, and those are being typed.
                  // biome-ignore lint/suspicious/noArrayIndexKey: see above
                  key={index}
                  query={query}
                  index={index}
                  count={list.length}
                  editable={editable}
                  issues={issues}
                  declared={draft.arguments}
                  sources={overview?.sources ?? []}
                  found={priming.error ? undefined : priming.found.get(index)}
                  isLoading={priming.isLoading}
                  setList={setList}
                  onDeclare={declare}
                />
              ))}
            </ol>
          )}
        </>
      )}
    </div>
  );
}
