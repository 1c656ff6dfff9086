import { useState } from 'react';
import { useDefaultModel, useSetDefaultModel } from '../../api/provider-queries.ts';
import { ModelField } from '../../parts/models/model-field.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { errorText } from '../../ui/error-state.tsx';
import { controlClass } from '../../ui/field.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { showToast } from '../../ui/toast.tsx';

/** Shows and sets the model of agents that name none. */
export function DefaultModelSection() {
  const { data } = useDefaultModel();
  const save = useSetDefaultModel();
  const [typed, setTyped] = useState<string | null>();
  const isFixed = data?.from === 'config';
  const current = data?.model ?? null;
  const shown = typed === undefined ? current : typed;
  const isChanged = typed !== undefined && (typed?.trim() || null) !== current;
  const submit = () => {
    if (!isChanged || save.isPending) return;
    save.mutate(shown?.trim() || null, {
      onSuccess: ({ model }) => {
        setTyped(undefined);
        showToast(model === null ? 'Default model removed' : `${model} is the default model`);
      },
    });
  };
  return (
    <section
      aria-labelledby="default-model"
      className="rounded-card border border-line bg-surface px-4 py-3.5 shadow-card"
    >
      <h2 id="default-model" className="flex flex-wrap items-center gap-2 font-semibold text-base">
        Default model {isFixed && <Badge>from zoo.toml</Badge>}
      </h2>
      <p className="mt-0.5 text-muted text-sm">
        {isFixed
          ? 'Set by [engine] model in zoo.toml. Change it there.'
          : current === null
            ? 'Agents that name no model cannot answer until you choose one.'
            : 'Used for agents and chats that name no model.'}
      </p>
      {data === undefined ? (
        <Skeleton className="mt-3 h-8 w-64" />
      ) : (
        <form
          className="mt-3 flex flex-wrap items-center gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <div className="min-w-0 flex-1 basis-64">
            <ModelField
              label="Default model"
              value={shown}
              isInvalid={save.error !== null}
              readOnly={isFixed}
              placeholder="Search models"
              onChange={(model) => {
                save.reset();
                setTyped(model);
              }}
              className={classes(controlClass, 'h-8 px-2.5 font-mono text-xs max-md:h-10')}
            />
          </div>
          {!isFixed && (
            <Button
              type="submit"
              variant={isChanged ? 'primary' : 'secondary'}
              disabled={!isChanged}
              busy={save.isPending}
            >
              Save
            </Button>
          )}
        </form>
      )}
      {save.error && (
        <p role="alert" className="mt-2 text-danger text-sm [overflow-wrap:anywhere]">
          {errorText(save.error)}
        </p>
      )}
    </section>
  );
}
