import { useState } from 'react';
import type { ServerInfo } from '../../../src/servers/servers.ts';
import { useServerAction, useUpdateServer } from '../../api/server-queries.ts';
import { checkForm, type ServerForm, toForm } from './server-form.ts';

export type ServerSettings = ReturnType<typeof useServerSettings>;

/** The settings as they are being changed, from what was saved to what will be. */
export function useServerSettings(server: ServerInfo) {
  const update = useUpdateServer(server.name);
  const act = useServerAction(server.name);
  const version = versionOf(server);
  const [started, setStarted] = useState({ form: toForm(server.definition), revision: server.revision, version });
  const [form, setForm] = useState(started.form);
  const [wasSent, setWasSent] = useState(false);
  const isDirty = JSON.stringify(form) !== JSON.stringify(started.form);
  const isOutdated = version !== started.version;
  /** `over`: only what was not typed over since. */
  const begin = (from: ServerInfo, over?: ServerForm) => {
    const next = toForm(from.definition);
    setStarted({ form: next, revision: from.revision, version: versionOf(from) });
    setForm((now) => (over === undefined || now === over ? next : now));
    setWasSent(false);
  };
  // Somebody else saved, and nothing typed here would be lost.
  if (isOutdated && !isDirty && !update.isPending) begin(server);
  const checked = checkForm(form);

  const save = () => {
    setWasSent(true);
    if (!checked.ok || update.isPending) return;
    update.mutate(
      { definition: checked.definition, revision: started.revision },
      {
        onSuccess: (saved) => {
          begin(saved, form);
          // Whether the settings are right shows only now; the header tells what comes of it.
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
    undo: () => begin(server),
  };
}

/** What a file says has no revision: it is another version when it says something else. */
function versionOf({ origin, revision, definition }: ServerInfo): string {
  return origin === 'store' ? String(revision) : JSON.stringify(definition);
}
