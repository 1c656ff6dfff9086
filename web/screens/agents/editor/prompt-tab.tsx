import { Plus } from 'lucide-react';
import { memo, type RefObject, Suspense, useDeferredValue, useMemo } from 'react';
import type { AgentArgument } from '../../../../src/agents/agent.ts';
import { fromHub, lazyPart } from '../../../api/from-hub.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import type { EditDraft } from './draft.ts';
import { undeclaredNames } from './references.ts';

const MarkdownEditor = lazyPart(
  fromHub(() => import('./markdown-editor.tsx')),
  'MarkdownEditor',
);

export interface PromptTabProps {
  value: string;
  declared: readonly AgentArgument[];
  editable: boolean;
  error: string | undefined;
  memory: RefObject<unknown>;
  edit: (edit: EditDraft) => void;
}

export const PromptTab = memo(function PromptTab({ value, declared, editable, error, memory, edit }: PromptTabProps) {
  const names = useMemo(() => declared.map((argument) => argument.name), [declared]);
  return (
    <div className="flex flex-col gap-2.5">
      <div className="h-[max(20rem,calc(100dvh-17rem))] rounded-card border border-line-strong bg-raised shadow-card max-md:h-[55dvh]">
        <Suspense fallback={<EditorFallback />}>
          <MarkdownEditor
            label="System prompt"
            value={value}
            onChange={(systemPrompt) => edit((draft) => ({ ...draft, systemPrompt }))}
            readOnly={!editable}
            declared={names}
            placeholder="Who is this agent? What does it do, how does it work, what does it never do? Supports Markdown."
            memory={memory}
            className="h-full rounded-card"
          />
        </Suspense>
      </div>
      {error && (
        <p role="alert" className="text-danger text-xs">
          System prompt: {error}
        </p>
      )}
      <References value={value} names={names} editable={editable} edit={edit} />
    </div>
  );
});

function EditorFallback() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading text editor" className="flex flex-col gap-3 p-4">
      <Skeleton className="h-4 w-2/3" />
      <Skeleton className="h-4 w-1/2" />
      <Skeleton className="h-4 w-3/5" />
    </div>
  );
}

interface ReferencesProps {
  value: string;
  names: readonly string[];
  editable: boolean;
  edit: (edit: EditDraft) => void;
}

/** Points out undeclared names in braces; they may be intended as text. */
function References({ value, names, editable, edit }: ReferencesProps) {
  const deferredValue = useDeferredValue(value);
  const undeclared = useMemo(() => undeclaredNames([deferredValue], names), [deferredValue, names]);
  if (undeclared.length === 0) {
    return (
      <p className="text-faint text-xs">
        {names.length === 0
          ? editable && 'Write {topic} to insert an argument.'
          : 'Arguments in braces are replaced with values when a client requests the prompt.'}
      </p>
    );
  }
  const declare = (name: string) =>
    edit((draft) =>
      draft.arguments.some((argument) => argument.name === name)
        ? draft
        : { ...draft, arguments: [...draft.arguments, { name, description: '', required: false }] },
    );
  return (
    <div className="flex flex-wrap items-center gap-1.5 text-muted text-xs">
      <span>Not declared as arguments:</span>
      {undeclared.slice(0, 8).map((name) =>
        editable ? (
          <button
            key={name}
            type="button"
            title={`Declare “${name}” as an argument`}
            onClick={() => declare(name)}
            className="inline-flex items-center gap-1 rounded-md bg-warn-soft px-1.5 py-0.5 font-mono text-2xs text-warn hover:underline max-md:py-1.5"
          >
            <Plus aria-hidden className="size-3" />
            {`{${name}}`}
            <span className="sr-only">: declare as an argument</span>
          </button>
        ) : (
          <code key={name} className="rounded-md bg-warn-soft px-1.5 py-0.5 text-2xs text-warn">{`{${name}}`}</code>
        ),
      )}
      {undeclared.length > 8 && <span>and {undeclared.length - 8} more</span>}
    </div>
  );
}
