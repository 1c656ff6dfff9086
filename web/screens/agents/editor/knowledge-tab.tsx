import { BookOpenText, Braces, Play, Plus } from 'lucide-react';
import { type FormEvent, useCallback, useState } from 'react';
import { type AgentArgument, agentLimits, type KnowledgeQuery } from '../../../../src/agents/agent.ts';
import type { AgentPrompt, PromptMessage } from '../../../../src/agents/agent-prompt.ts';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { needsEmbeddings, useKnowledge, useResolvePrompt } from '../../../api/knowledge-queries.ts';
import { EmbeddingsNeeded } from '../../../parts/knowledge/embeddings-needed.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState, errorText } from '../../../ui/error-state.tsx';
import { TextField } from '../../../ui/input.tsx';
import type { Draft, EditDraft } from './draft.ts';
import { KnowledgeQueryCard } from './knowledge-query-card.tsx';
import { countReferences } from './references.ts';
import type { DraftPriming } from './use-draft-priming.ts';
import { issueAt } from './validate-draft.ts';

export interface KnowledgeTabProps {
  agent: AgentDetail;
  draft: Draft;
  issues: readonly FieldIssue[];
  priming: DraftPriming;
  edit: (edit: EditDraft) => void;
}

/** The agent's knowledge searches and the passages they find now. */
export function KnowledgeTab({ agent, draft, issues, priming, edit }: KnowledgeTabProps) {
  const { editable } = agent;
  const { data: overview } = useKnowledge();
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
  const [addedIndex, setAddedIndex] = useState<number | null>(null);
  const onFocused = useCallback(() => setAddedIndex(null), []);
  const add = () => {
    setList((before) => [...before, { query: '', source: null, tags: [], mode: null, limit: 3 }]);
    setAddedIndex(list.length);
  };
  const addButton = editable && (
    <Button icon={<Plus aria-hidden />} disabled={list.length >= agentLimits.knowledge} onClick={add}>
      Add search
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
              These searches run each time the prompt is requested. The passages they find are added to its end.
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
            <EmbeddingsNeeded />
          ) : (
            priming.error && (
              <ErrorState title="The passages could not be loaded" error={priming.error} onRetry={priming.retry} />
            )
          )}
          {list.length === 0 ? (
            <EmptyState
              art={<BookOpenText className="size-10" strokeWidth={1.5} />}
              title="No searches yet"
              {...(addButton && { actions: addButton })}
            >
              {overview?.documents === 0
                ? 'The knowledge base is empty. Add a folder under Knowledge first, then add a search here.'
                : 'Add a search to start each conversation with the passages it finds.'}
            </EmptyState>
          ) : (
            <ol className="flex flex-col gap-3">
              {list.map((query, index) => (
                <KnowledgeQueryCard
                  // A search's only identity is its text, which the user is typing.
                  // biome-ignore lint/suspicious/noArrayIndexKey: see above
                  key={index}
                  query={query}
                  index={index}
                  count={list.length}
                  isNew={index === addedIndex}
                  onFocused={onFocused}
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

/** Requests a prompt that is built by code. */
function TryPrompt({ agent }: { agent: AgentDetail }) {
  const resolve = useResolvePrompt(agent.id);
  const [values, setValues] = useState<Record<string, string>>({});
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    resolve.mutate(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')));
  };
  return (
    <section aria-label="Try the prompt" className="flex flex-col gap-3">
      <Banner tone="info" icon={<Braces />}>
        {agent.source === 'lua' ? 'A Lua script builds this prompt' : 'Code builds this prompt'} on each request and may
        search the knowledge base. Try it to see what a client gets.
      </Banner>
      <form
        onSubmit={onSubmit}
        className="flex flex-col gap-3 rounded-xl border border-line bg-raised p-3.5 shadow-card"
      >
        {agent.arguments.length > 0 && (
          <div className="grid gap-3 sm:grid-cols-2">
            {agent.arguments.map(({ name, description, required }) => (
              <TextField
                key={name}
                label={required ? `${name} (required)` : name}
                {...(description && { hint: description })}
                autoComplete="off"
                value={values[name] ?? ''}
                onChange={(event) => {
                  const { value } = event.target;
                  setValues((before) => ({ ...before, [name]: value }));
                }}
              />
            ))}
          </div>
        )}
        <div className="flex items-center gap-3">
          <Button type="submit" variant="primary" icon={<Play aria-hidden />} busy={resolve.isPending}>
            Build prompt
          </Button>
          {agent.arguments.length === 0 && <span className="text-faint text-xs">This prompt takes no arguments.</span>}
        </div>
      </form>
      {resolve.error && (
        <p
          role="alert"
          className="whitespace-pre-wrap break-words rounded-lg bg-danger-soft px-3 py-2 text-danger text-sm"
        >
          {errorText(resolve.error)}
        </p>
      )}
      {resolve.data && <Resolved prompt={resolve.data.result} />}
    </section>
  );
}

function Resolved({ prompt }: { prompt: AgentPrompt }) {
  const { system, messages, tools } = prompt;
  return (
    <div data-testid="resolved-prompt" className="flex flex-col gap-2.5">
      <PromptText title="System" text={system} />
      {messages.map((message, index) => (
        // Messages have no identity beyond their order.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <PromptText key={index} title={roles[message.role]} text={contentText(message)} />
      ))}
      {tools.length > 0 && (
        <p className="flex flex-wrap items-center gap-1.5 text-muted text-xs">
          Tools in scope:
          {tools.map((tool) => (
            <Badge key={tool}>{tool}</Badge>
          ))}
        </p>
      )}
    </div>
  );
}

const roles: Record<PromptMessage['role'], string> = { user: 'User', assistant: 'Assistant', system: 'System' };

function PromptText({ title, text }: { title: string; text: string }) {
  return (
    <figure className="overflow-hidden rounded-xl border border-line bg-surface">
      <figcaption className="flex items-center gap-2 border-line border-b py-1 pr-1.5 pl-3.5 text-xs">
        <span className="flex-1 font-medium">{title}</span>
        <CopyButton iconOnly label={`Copy ${title.toLowerCase()} text`} text={text} />
      </figcaption>
      <pre className="max-h-96 overflow-auto whitespace-pre-wrap break-words px-3.5 py-3 font-mono text-xs leading-5">
        {text}
      </pre>
    </figure>
  );
}

function contentText({ content }: PromptMessage): string {
  if (typeof content === 'string') return content;
  return content.type === 'text' ? content.text : JSON.stringify(content, null, 2);
}

interface SampleValuesProps {
  declared: readonly AgentArgument[];
  queries: readonly string[];
  samples: Readonly<Record<string, string>>;
  onChange: (name: string, value: string) => void;
}

/** Sample values for trying the searches; they are not saved. */
function SampleValues({ declared, queries, samples, onChange }: SampleValuesProps) {
  const uses = countReferences(queries);
  const used = declared.filter((argument) => uses.has(argument.name));
  if (used.length === 0) return null;
  return (
    <section aria-label="Sample values" className="rounded-xl border border-line border-dashed p-3.5">
      <p className="mb-2.5 text-muted text-xs">Try the searches with sample values. They are not saved.</p>
      <div className="grid gap-3 sm:grid-cols-2">
        {used.map(({ name, description }) => (
          <TextField
            key={name}
            label={name}
            placeholder={description}
            autoComplete="off"
            value={samples[name] ?? ''}
            onChange={(event) => onChange(name, event.target.value)}
          />
        ))}
      </div>
    </section>
  );
}
