import { useState } from 'react';
import type { ServerInfo } from '../../../src/servers/servers.ts';
import { useServerAction, useUpdateServer } from '../../api/server-queries.ts';
import { checkForm, type ServerForm, toForm } from './server-form.ts';

export type ServerSettings = ReturnType<typeof useServerSettings>;

/** Holds the edited settings of a server and saves them. */
export function useServerSettings(server: ServerInfo) {
  const update = useUpdateServer(server.name);
  const act = useServerAction(server.name);
  const version = versionOf(server);
  const [started, setStarted] = useState({ form: toForm(server.definition), revision: server.revision, version });
  const [form, setForm] = useState(started.form);
  const [wasSent, setWasSent] = useState(false);
  const isDirty = JSON.stringify(form) !== JSON.stringify(started.form);
  const isOutdated = version !== started.version;
  /** Loads the saved settings. With `over`, keeps the form if the user has changed it since. */
  const reset = (from: ServerInfo, over?: ServerForm) => {
    const next = toForm(from.definition);
    setStarted({ form: next, revision: from.revision, version: versionOf(from) });
    setForm((now) => (over === undefined || now === over ? next : now));
    setWasSent(false);
  };
  // The settings were saved elsewhere, and there are no edits to lose.
  if (isOutdated && !isDirty && !update.isPending) reset(server);
  const checked = checkForm(form);

  const save = () => {
    setWasSent(true);
    if (!checked.ok || update.isPending) return;
    update.mutate(
      { definition: checked.definition, revision: started.revision },
      {
        onSuccess: (saved) => {
          reset(saved, form);
          // Reconnecting shows whether the settings work; the header shows the result.
          if (saved.definition.enabled) act.mutate('reconnect');
        },
      },
    );
  };

  return {
    fields: {
      form,
      problems: wasSent && !checked.ok ? checked.problems : {},
      onChange: (change: Partial<ServerForm>) => setForm((now) => ({ ...now, ...change })),
    },
    isDirty,
    isOutdated,
    isSaving: update.isPending,
    isSaved: update.isSuccess,
    error: update.error,
    save,
    undo: () => reset(server),
  };
}

/** Returns a version. A definition in a file has no revision, so its content is the version.  */
function versionOf({ origin, revision, definition }: ServerInfo): string {
  return origin === 'store' ? String(revision) : JSON.stringify(definition);
}
