import { useMemo } from 'react';
import { conversationOf } from '../../../src/runs/run-conversation.ts';
import type { StepPrompt } from '../../../src/runs/runs.contract.ts';
import { useStepPrompt } from '../../api/run-queries.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { JsonView } from '../../ui/json-view.tsx';
import { LongList } from '../../ui/long-list.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { TurnView } from './turn-view.tsx';

export interface PromptSheetProps {
  runId: string;
  step: number;
  onClose: () => void;
}

/** What one step sent to the model: system text, messages and tools. */
export function PromptSheet({ runId, step, onClose }: PromptSheetProps) {
  const { data, error, refetch } = useStepPrompt(runId, step);
  return (
    <Sheet title={`Prompt of step ${step}`} onClose={onClose}>
      {data ? (
        <Prompt prompt={data} />
      ) : error ? (
        <ErrorState title="The prompt could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <div role="status" aria-busy="true" aria-label="Loading prompt" className="flex flex-col gap-3">
          <Skeleton className="h-24 w-full" />
          <Skeleton className="h-40 w-full" />
        </div>
      )}
    </Sheet>
  );
}

function Prompt({ prompt }: { prompt: StepPrompt }) {
  const { system, messages, tools } = prompt;
  const turns = useMemo(() => conversationOf({ messages, calls: [], status: 'completed' }), [messages]);
  return (
    <div className="flex flex-col gap-6">
      <p className="text-muted text-sm">As sent to the model, without secrets.</p>
      <section aria-label="System">
        <h3 className="mb-2 flex items-center justify-between font-semibold text-sm">
          System
          {system !== null && system !== '' && <CopyButton iconOnly label="Copy system text" text={system} />}
        </h3>
        {system === null ? (
          <p className="text-muted text-sm">No longer stored.</p>
        ) : system === '' ? (
          <p className="text-muted text-sm">Empty.</p>
        ) : (
          <pre className="whitespace-pre-wrap rounded-lg border border-line bg-sunken p-3 font-mono text-xs [overflow-wrap:anywhere]">
            {system}
          </pre>
        )}
      </section>
      <section aria-label="Messages">
        <h3 className="mb-2 font-semibold text-sm">{formatCount(messages.length, 'message')}</h3>
        <LongList
          label="Messages"
          items={turns}
          // What was sent never changes.
          keyOf={(_, index) => String(index)}
          estimateSize={90}
          gap={12}
        >
          {(turn) => <TurnView turn={turn} isInterrupted={false} />}
        </LongList>
      </section>
      <section aria-label="Tools">
        <h3 className="mb-2 font-semibold text-sm">{formatCount(tools.length, 'tool')}</h3>
        <LongList label="Tools" items={tools} keyOf={({ name }) => name} estimateSize={38} gap={6}>
          {(tool) => <ToolView tool={tool} />}
        </LongList>
      </section>
    </div>
  );
}

function ToolView({ tool: { name, description, inputSchema } }: { tool: StepPrompt['tools'][number] }) {
  return (
    <details className="rounded-lg border border-line px-3 py-2">
      <summary className="font-mono text-xs">{name}</summary>
      <p className="mt-2 text-muted text-sm [overflow-wrap:anywhere]">{description}</p>
      {inputSchema !== undefined && (
        <div className="mt-2">
          <JsonView value={inputSchema} label={`Schema of ${name}`} />
        </div>
      )}
    </details>
  );
}
