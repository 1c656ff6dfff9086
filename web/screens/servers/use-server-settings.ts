import { useState } from 'react';
import type { ServerInfo } from '../../../src/servers/servers.ts';
import { useServerAction, useUpdateServer } from '../../api/server-queries.ts';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { formWithoutSecrets } from './form-without-secrets.ts';
import { checkForm, type ServerForm, toForm } from './server-form.ts';

export type ServerSettings = ReturnType<typeof useServerSettings>;

/** Holds the edited settings of a server and saves them. */
export function useServerSettings(server: ServerInfo) {
  const update = useUpdateServer(server.name);
  const act = useServerAction(server.name);
  const version = versionOf(server);
  const [started, setStarted] = useState({ form: toForm(server.definition), revision: server.revision, version });
  const draft = useFormDraft(`server/${server.name}`, started.form, {
    base: started.version,
    withoutSecrets: (typed) => formWithoutSecrets(typed, started.form),
  });
  const { value: form, restored } = draft;
  // A restored draft continues the version that it changes, so that saving it over a newer one is refused.
  if (draft.isOutdated && restored?.base != null && started.version === version)
    setStarted({ ...started, version: restored.base, revision: revisionIn(restored.base) });
  const [wasSent, setWasSent] = useState(false);
  const isDirty = JSON.stringify(form) !== JSON.stringify(started.form);
  const isOutdated = version !== started.version;
  /** Loads the saved settings. With `over`, keeps the form if the user has changed it since. */
  const reset = (from: ServerInfo, over?: ServerForm) => {
    const next = toForm(from.definition);
    setStarted({ form: next, revision: from.revision, version: versionOf(from) });
    draft.restart(next, over);
    setWasSent(false);
  };
  // The settings were saved elsewhere, and there are no edits to lose.
  if (isOutdated && !isDirty && !update.isPending) reset(server);
  const checked = checkForm(form);

  /** Resolves to whether the settings were saved. The form shows why not. */
  const save = async (): Promise<boolean> => {
    setWasSent(true);
    if (!checked.ok || update.isPending) return false;
    try {
      const saved = await update.mutateAsync({ definition: checked.definition, revision: started.revision });
      reset(saved, form);
      // Reconnecting shows whether the settings work; the header shows the result.
      if (saved.definition.enabled) act.mutate('reconnect');
      return true;
    } catch {
      return false;
    }
  };

  return {
    fields: {
      form,
      problems: wasSent && !checked.ok ? checked.problems : {},
      onChange: (change: Partial<ServerForm>) => draft.set((now) => ({ ...now, ...change })),
    },
    isDirty,
    isOutdated,
    isSaving: update.isPending,
    isSaved: update.isSuccess,
    error: update.error,
    save,
    undo: () => reset(server),
    restored,
    isHeld: draft.isHeld,
    isRefused: draft.isRefused,
  };
}

/** Returns a version. A definition in a file has no revision, so its content is the version.  */
function versionOf({ origin, revision, definition }: ServerInfo): string {
  return origin === 'store' ? String(revision) : JSON.stringify(definition);
}

/** Returns the revision that a version names; null for a definition in a file. */
function revisionIn(version: string): number | null {
  return /^\d+$/.test(version) ? Number(version) : null;
}
