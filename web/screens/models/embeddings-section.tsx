import { useState } from 'react';
import { useChooseEmbeddings, useEmbeddings } from '../../api/provider-queries.ts';
import { ModelField } from '../../parts/models/model-field.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { errorText } from '../../ui/error-state.tsx';
import { controlClass } from '../../ui/field.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { showToast } from '../../ui/toast.tsx';

type Place = 'off' | 'local' | 'provider';

const places: { value: Place; label: string }[] = [
  { value: 'off', label: 'Off' },
  { value: 'local', label: 'On this machine' },
  { value: 'provider', label: 'From a provider' },
];

/** Shows and chooses the embeddings for search by meaning. */
export function EmbeddingsSection() {
  const { data } = useEmbeddings();
  const choose = useChooseEmbeddings();
  const [draft, setDraft] = useState<{ place: Place; model: string | null }>();
  const isFixed = data?.from === 'config';
  const current = data?.model ?? null;
  const place = draft?.place ?? (current === null ? 'off' : current === 'local' ? 'local' : 'provider');
  const model = draft ? draft.model : place === 'provider' ? current : null;
  const wanted = place === 'off' ? null : place === 'local' ? 'local' : model?.trim() || undefined;
  const canSave = draft !== undefined && wanted !== undefined && wanted !== current;
  const change = (next: { place: Place; model: string | null }) => {
    choose.reset();
    setDraft(next);
  };
  const submit = () => {
    if (!canSave || choose.isPending) return;
    choose.mutate(wanted, {
      onSuccess: (saved) => {
        setDraft(undefined);
        showToast(saved.model === null ? 'Search by meaning is off' : `${saved.model} works. Embedding your passages…`);
      },
    });
  };
  return (
    <section
      aria-labelledby="embeddings"
      className="rounded-card border border-line bg-surface px-4 py-3.5 shadow-card"
    >
      <h2 id="embeddings" className="flex flex-wrap items-center gap-2 font-semibold text-base">
        Search by meaning {isFixed && <Badge>from zoo.toml</Badge>}
      </h2>
      <p className="mt-0.5 text-pretty text-muted text-sm">
        {isFixed
          ? `Set by [embedding] in zoo.toml${current === null ? '' : `: ${current}`}. Change it there.`
          : 'An embedding model finds passages that say the same thing in other words. If you choose a provider, it receives the text of your passages.'}
      </p>
      {data === undefined && <Skeleton className="mt-3 h-8 w-64" />}
      {data !== undefined && !isFixed && (
        <form
          className="mt-3 flex flex-wrap items-center gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <Segmented
            label="Embeddings"
            value={place}
            options={places}
            onChange={(next) => change({ place: next, model })}
          />
          {place === 'provider' && (
            <div className="min-w-0 flex-1 basis-64">
              <ModelField
                label="Embedding model"
                value={model}
                isInvalid={choose.error !== null}
                readOnly={false}
                placeholder="openai/text-embedding-3-small"
                onChange={(next) => change({ place, model: next })}
                className={classes(controlClass, 'h-8 w-full px-2.5 font-mono text-xs max-md:h-10')}
              />
            </div>
          )}
          {draft !== undefined && (
            <Button type="submit" variant="primary" disabled={!canSave} busy={choose.isPending}>
              {place === 'off' ? 'Turn off' : 'Test and use'}
            </Button>
          )}
        </form>
      )}
      {choose.error && (
        <p role="alert" className="mt-2 text-danger text-sm [overflow-wrap:anywhere]">
          {errorText(choose.error)}
        </p>
      )}
    </section>
  );
}
