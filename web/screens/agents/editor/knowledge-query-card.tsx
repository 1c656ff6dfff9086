import { Link } from '@tanstack/react-router';
import { ExternalLink, Plus } from 'lucide-react';
import { useState } from 'react';
import type { AgentArgument, KnowledgeQuery } from '../../../../src/agents/agent.ts';
import type { PrimeBody } from '../../../../src/agents/prompts.contract.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import type { SourceInfo } from '../../../../src/knowledge/knowledge.ts';
import type { SearchResult } from '../../../../src/knowledge/search/search-request.ts';
import { headingsBelowTitle } from '../../../parts/knowledge/passage-location.ts';
import { Provenance } from '../../../parts/knowledge/provenance.tsx';
import { SourceSelect } from '../../../parts/knowledge/source-select.tsx';
import { classes } from '../../../ui/classes.ts';
import { Field } from '../../../ui/field.tsx';
import { TextField } from '../../../ui/input.tsx';
import { Select } from '../../../ui/select.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useFocusNew } from '../../../ui/use-focus-new.ts';
import { parseTags } from '../brain/brain-timeline.ts';
import { undeclaredNames } from './references.ts';
import { RowActions } from './row-actions.tsx';
import { issueAt } from './validate-draft.ts';

export interface KnowledgeQueryCardProps {
  query: KnowledgeQuery;
  index: number;
  count: number;
  /** Whether it was just added. */
  isNew: boolean;
  onFocused: () => void;
  editable: boolean;
  issues: readonly FieldIssue[];
  declared: readonly AgentArgument[];
  sources: readonly SourceInfo[];
  found: PrimeBody['primings'][number] | undefined;
  isLoading: boolean;
  setList: (change: (list: readonly KnowledgeQuery[]) => KnowledgeQuery[]) => void;
  onDeclare: (name: string) => void;
}

export function KnowledgeQueryCard(props: KnowledgeQueryCardProps) {
  const { query, index, count, editable, issues, declared, sources, found, isLoading, setList, onDeclare } = props;
  const queryInput = useFocusNew(props.isNew, props.onFocused);
  const path = `knowledge[${index}]`;
  const change = (fields: Partial<KnowledgeQuery>) =>
    setList((list) => list.map((each, at) => (at === index ? { ...each, ...fields } : each)));
  const name = `search ${index + 1}`;
  return (
    <li className="@container overflow-hidden rounded-xl border border-line bg-raised shadow-card">
      <div className="flex flex-col gap-3 p-3.5">
        <div className="flex items-start gap-1">
          <TextField
            ref={queryInput}
            label="Search for"
            value={query.query}
            error={issueAt(issues, `${path}.query`)}
            readOnly={!editable}
            placeholder="runbook for {service}"
            onChange={(event) => change({ query: event.target.value })}
            className="flex-1"
          />
          {editable && (
            <div className="flex pt-6.5">
              <RowActions name={name} index={index} count={count} setList={setList} />
            </div>
          )}
        </div>
        {editable && (
          <ArgumentHints
            query={query.query}
            declared={declared}
            onInsert={(argument) => change({ query: `${query.query.trimEnd()} {${argument}}`.trimStart() })}
            onDeclare={onDeclare}
          />
        )}
        <div className="grid grid-cols-2 gap-3 @xl:grid-cols-[minmax(0,1.3fr)_minmax(0,1.3fr)_minmax(8rem,1fr)_5.5rem]">
          <Field label="Source" error={issueAt(issues, `${path}.source`)}>
            {({ id }) => (
              <SourceSelect
                id={id}
                value={query.source ?? ''}
                sources={sources}
                disabled={!editable}
                onChange={(source) => change({ source: source || null })}
                className="w-full max-md:h-10!"
              />
            )}
          </Field>
          <TagsField
            tags={query.tags}
            editable={editable}
            error={issueAt(issues, `${path}.tags`)}
            onChange={(tags) => change({ tags })}
          />
          <Field label="Mode">
            {({ id }) => (
              <Select
                id={id}
                label="Mode"
                value={query.mode ?? ''}
                disabled={!editable}
                onChange={(mode) => change({ mode: mode || null })}
                options={modes}
                className="w-full max-md:h-10!"
              />
            )}
          </Field>
          <TextField
            label="Passages"
            type="number"
            min={1}
            max={20}
            value={Number.isNaN(query.limit) ? '' : query.limit}
            error={issueAt(issues, `${path}.limit`) && 'Enter a number from 1 to 20.'}
            readOnly={!editable}
            onChange={(event) => change({ limit: event.target.valueAsNumber })}
          />
        </div>
      </div>
      <PrimedPassages found={found} isLoading={isLoading} hasWords={query.query.trim() !== ''} />
    </li>
  );
}

const modes: { value: '' | 'keyword' | 'semantic' | 'hybrid'; label: string }[] = [
  { value: '', label: 'Automatic' },
  { value: 'keyword', label: 'Keyword' },
  { value: 'semantic', label: 'Semantic' },
  { value: 'hybrid', label: 'Hybrid' },
];

interface TagsFieldProps {
  tags: readonly string[];
  editable: boolean;
  error: string | undefined;
  onChange: (tags: string[]) => void;
}

/** Keeps the text as typed, including commas; the draft holds the parsed tags. */
function TagsField({ tags, editable, error, onChange }: TagsFieldProps) {
  const [text, setText] = useState(tags.join(', '));
  const isSame = parseTags(text).join(',') === tags.join(',');
  return (
    <TextField
      label="Tags"
      value={isSame ? text : tags.join(', ')}
      error={error}
      readOnly={!editable}
      placeholder={editable ? 'Any' : ''}
      autoCapitalize="off"
      spellCheck={false}
      onChange={(event) => {
        setText(event.target.value);
        onChange(parseTags(event.target.value));
      }}
    />
  );
}

interface ArgumentHintsProps {
  query: string;
  declared: readonly AgentArgument[];
  onInsert: (name: string) => void;
  onDeclare: (name: string) => void;
}

/** Suggests arguments to insert, and undeclared names to declare. */
function ArgumentHints({ query, declared, onInsert, onDeclare }: ArgumentHintsProps) {
  const names = declared.map((argument) => argument.name);
  const unused = names.filter((name) => name !== '' && !query.includes(`{${name}}`));
  const undeclared = undeclaredNames([query], names);
  if (unused.length + undeclared.length === 0) return null;
  const chip = 'inline-flex items-center gap-1 rounded-md px-1.5 py-0.5 font-mono text-2xs max-md:py-1.5';
  return (
    <div className="-mt-1 flex flex-wrap items-center gap-1.5 text-muted text-xs">
      {undeclared.map((name) => (
        <button
          key={`new ${name}`}
          type="button"
          title={`Declare “${name}” as an argument`}
          onClick={() => onDeclare(name)}
          className={`${chip} bg-warn-soft text-warn hover:underline`}
        >
          <Plus aria-hidden className="size-3" />
          {`Declare {${name}}`}
        </button>
      ))}
      {unused.slice(0, 8).map((name) => (
        <button
          key={name}
          type="button"
          title={`Insert “${name}” into the search`}
          onClick={() => onInsert(name)}
          className={`${chip} bg-hover hover:text-text`}
        >
          <Plus aria-hidden className="size-3" />
          {`{${name}}`}
        </button>
      ))}
    </div>
  );
}

interface PrimedPassagesProps {
  found: PrimeBody['primings'][number] | undefined;
  isLoading: boolean;
  /** Whether the query has any words. */
  hasWords: boolean;
}

/** The passages that one search adds to the prompt. */
function PrimedPassages({ found, isLoading, hasWords }: PrimedPassagesProps) {
  if (!hasWords) return null;
  if (!found) {
    if (!isLoading) return null;
    return (
      <div role="status" aria-busy="true" aria-label="Loading passages" className={`${box} flex flex-col gap-2`}>
        <Skeleton className="h-3.5 w-1/2" />
        <Skeleton className="h-3.5 w-2/3" />
      </div>
    );
  }
  const { words, passages } = found;
  return (
    <div className={classes(box, 'transition-opacity', isLoading && 'opacity-60')}>
      <p className="text-faint text-xs">
        {words === ''
          ? 'Enter a sample value to run this search.'
          : passages.length === 0
            ? `No new passages found for “${words}”.`
            : `Passages for “${words}”`}
      </p>
      {passages.length > 0 && (
        <ul aria-label="Passages" className="mt-1.5 flex flex-col divide-y divide-line">
          {passages.map((passage) => (
            <PassageRow key={`${passage.id} ${passage.passage.ordinal}`} result={passage} />
          ))}
        </ul>
      )}
    </div>
  );
}

const box = 'border-line border-t bg-surface px-3.5 py-2.5';

function PassageRow({ result }: { result: SearchResult }) {
  const { id, title, score, passage } = result;
  return (
    <li className="py-2 first:pt-1 last:pb-0">
      <details>
        <summary className="rounded-md text-sm hover:text-accent-text">
          <span className="min-w-0 flex-1 break-words font-medium">
            {[title, ...headingsBelowTitle(result)].join(' › ')}
          </span>
          <span className="shrink-0 text-faint text-xs tabular-nums">
            <span className="sr-only">score </span>
            {score.toFixed(2)}
          </span>
        </summary>
        <pre className="mt-2 max-h-72 overflow-auto whitespace-pre-wrap break-words rounded-lg bg-sunken/60 p-3 font-mono text-xs leading-5">
          {passage.text}
        </pre>
      </details>
      <div className="mt-0.5 pl-4">
        <Provenance
          result={result}
          end={
            <Link
              to="/knowledge/documents/$id"
              params={{ id }}
              hash={`p${passage.ordinal}`}
              // The draft may have unsaved changes.
              target="_blank"
              aria-label={`Open ${title}`}
              className="inline-flex items-center gap-1 rounded-md text-accent-text hover:underline"
            >
              Open
              <ExternalLink aria-hidden className="size-3" />
            </Link>
          }
        />
      </div>
    </li>
  );
}
