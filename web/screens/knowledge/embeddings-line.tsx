import { ChevronDown, Sparkles } from 'lucide-react';
import { useState } from 'react';
import type { EmbeddingState } from '../../../src/knowledge/knowledge.ts';
import { useEmbed, useEmbeddingNews } from '../../api/knowledge-queries.ts';
import { useStatus } from '../../api/queries.ts';
import { EmbeddingsNeeded } from '../../parts/knowledge/embeddings-needed.tsx';
import { Button } from '../../ui/button.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { showError, showToast } from '../../ui/toast.tsx';

/** Whether documents are also found by meaning. */
export function EmbeddingsLine({ state }: { state: EmbeddingState }) {
  return (
    <section
      aria-label="Embeddings"
      className="flex flex-col gap-3 rounded-card border border-line border-dashed px-4 py-3 text-sm"
    >
      {'model' in state ? <Enabled state={state} /> : <Disabled />}
    </section>
  );
}

function Disabled() {
  const [open, setOpen] = useState(false);
  const { data } = useStatus();
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Sparkles aria-hidden className="size-4 shrink-0 text-faint" />
        <p className="min-w-0 flex-1 basis-48 text-muted">
          Found by their words. With embeddings they are found by meaning too.
        </p>
        <Button
          size="sm"
          variant="ghost"
          icon={<ChevronDown aria-hidden className={open ? 'rotate-180' : ''} />}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          How to enable
        </Button>
      </div>
      {open && (
        <EmbeddingsNeeded
          message="Embeddings are disabled. Put this into the configuration:"
          configFile={data?.configFile ?? null}
        />
      )}
    </>
  );
}

function Enabled({ state }: { state: Extract<EmbeddingState, { model: string }> }) {
  const embed = useEmbed();
  const news = useEmbeddingNews();
  const isRunning = news !== null && !news.done;
  const { provider, model, dims, embedded, pending } = state;
  const start = () =>
    embed.mutate(
      {},
      {
        onSuccess: () => showToast('Embedding has begun'),
        onError: (error) => showError('Not embedded', error),
      },
    );
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Sparkles aria-hidden className="size-4 shrink-0 text-violet" />
      <p className="min-w-0 flex-1 basis-48 text-muted">
        Embeddings by <span className="font-medium text-text">{provider}</span>,{' '}
        <span className="break-all font-mono text-xs">{model}</span>, {dims} dimensions:{' '}
        <span className="tabular-nums">
          {embedded.toLocaleString('en')} embedded, {pending.toLocaleString('en')} pending
        </span>
      </p>
      {(pending > 0 || isRunning) && (
        <Button size="sm" icon={<Sparkles aria-hidden />} busy={embed.isPending || isRunning} onClick={start}>
          {isRunning ? 'Embedding' : 'Embed now'}
        </Button>
      )}
      {isRunning && (
        <div className="w-full">
          <ProgressBar
            label="Embedding"
            value={embedded + pending === 0 ? null : embedded / (embedded + pending)}
            text={`${embedded} of ${embedded + pending}`}
          />
        </div>
      )}
      {news?.message && !isRunning && (
        <p role="alert" className="w-full break-words rounded-lg bg-danger-soft px-3 py-2 text-danger">
          {news.message}
        </p>
      )}
    </div>
  );
}
