import { Lock, Save } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { ServerBody } from '../../src/http/server-types.ts';
import { ApiError } from '../api/client.ts';
import { useServerAction, useUpdateServer } from '../api/server-queries.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { errorText } from '../ui/error-state.tsx';
import { Switch } from '../ui/switch.tsx';
import { AdvancedFields } from './advanced-fields.tsx';
import { CommandFields, UrlFields } from './server-fields.tsx';
import { checkForm, type ServerForm, toForm } from './server-form.ts';

/** How the server is set up: a form for those of the store, the same to read for those of the config. */
export function SettingsTab({ server }: { server: ServerBody }) {
  const isEditable = server.origin === 'store';
  const update = useUpdateServer(server.name);
  const act = useServerAction(server.name);
  const [started, setStarted] = useState({ form: toForm(server.definition), revision: server.revision });
  const [form, setForm] = useState(started.form);
  const [wasSent, setWasSent] = useState(false);
  const isDirty = JSON.stringify(form) !== JSON.stringify(started.form);
  const isOutdated = server.revision !== started.revision;
  const begin = (from: ServerBody) => {
    const next = toForm(from.definition);
    setStarted({ form: next, revision: from.revision });
    setForm(next);
    setWasSent(false);
  };
  // Somebody else saved, and nothing typed here would be lost.
  if (isOutdated && !isDirty && !update.isPending) begin(server);
  const checked = checkForm(form);
  const problems = wasSent && !checked.ok ? checked.problems : {};
  const fields = {
    form,
    problems,
    onChange: (change: Partial<ServerForm>) => setForm((now) => ({ ...now, ...change })),
  };

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setWasSent(true);
    if (!checked.ok || update.isPending) return;
    update.mutate(
      { definition: checked.definition, revision: started.revision },
      {
        onSuccess: (saved) => {
          begin(saved);
          // Whether the settings are right shows only now; the header tells what comes of it.
          if (saved.definition.enabled) act.mutate('reconnect');
        },
      },
    );
  };

  return (
    <form noValidate onSubmit={onSubmit} className="flex max-w-3xl flex-col gap-4">
      {!isEditable && (
        <Banner tone="info" icon={<Lock />}>
          Defined in {server.place}, so it is changed there; the hub notices when the file is saved. Turning tools off,
          renaming and accepting them works here all the same.
        </Banner>
      )}
      {isOutdated && isDirty && (
        <Banner
          tone="warn"
          icon={<Lock />}
          actions={
            <Button size="sm" onClick={() => begin(server)}>
              Take what is saved
            </Button>
          }
        >
          It was changed elsewhere while you edited.
        </Banner>
      )}
      <fieldset disabled={!isEditable} className="disabled:[&_[role=combobox]]:opacity-60 flex min-w-0 flex-col gap-4">
        <div className="flex items-center gap-3 rounded-xl border border-line bg-surface px-3.5 py-3">
          <div className="min-w-0 flex-1">
            <p className="font-medium text-sm">Use this server</p>
            <p className="text-muted text-xs">Turned off it is not connected, and its tools are not offered.</p>
          </div>
          <Switch
            label="Use this server"
            checked={form.enabled}
            disabled={!isEditable}
            onChange={(enabled) => fields.onChange({ enabled })}
          />
        </div>
        {form.transport === 'stdio' ? <CommandFields {...fields} /> : <UrlFields {...fields} />}
        <hr className="border-line" />
        <AdvancedFields {...fields} name={server.name} />
      </fieldset>
      {update.error && !isConflict(update.error) && (
        <p role="alert" className="break-words rounded-lg bg-danger-soft px-3 py-2 text-danger text-sm">
          {errorText(update.error)}
        </p>
      )}
      {isEditable && (
        <div className="sticky bottom-0 z-10 flex items-center gap-2 border-line border-t bg-bg py-3 max-md:bottom-14">
          <p role="status" className="flex-1 text-muted text-xs">
            {isDirty
              ? 'It is connected anew. A masked secret keeps its value.'
              : update.isSuccess
                ? 'Saved.'
                : 'Nothing changed.'}
          </p>
          <Button disabled={!isDirty} onClick={() => begin(server)}>
            Undo
          </Button>
          <Button
            variant="primary"
            type="submit"
            icon={<Save aria-hidden />}
            busy={update.isPending}
            disabled={!isDirty}
          >
            Save
          </Button>
        </div>
      )}
    </form>
  );
}

/** The banner says it. */
function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.isConflict;
}
