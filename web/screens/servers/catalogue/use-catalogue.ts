import { useDeferredValue, useState } from 'react';
import { type CatalogueServer, publicRegistry } from '../../../../src/servers/catalogue/catalogue.ts';
import { checkValues, suggestName, type WayToAdd, waysToAdd } from '../../../../src/servers/catalogue/ways-to-add.ts';
import { ServerDefinition } from '../../../../src/servers/server-definition.ts';
import { useCatalogueSearch, useUpdateCatalogue } from '../../../api/catalogue-queries.ts';
import { useAddServer } from '../../../api/server-queries.ts';
import { keepDraft, readDraft, removeDraft } from '../../../parts/drafts/drafts.ts';
import { shapeLike } from '../../../parts/drafts/use-form-draft.ts';
import { formatCount } from '../../../ui/format-count.ts';
import { showToast } from '../../../ui/toast.tsx';
import { checkServerName } from '../server-form.ts';

export type CatalogueState = ReturnType<typeof useCatalogue>;

/** The search of the catalogue, the chosen server with what was entered for it, and the update. */
export function useCatalogue(taken: readonly string[], onDone: () => void) {
  const [query, setQuery] = useState('');
  const settled = useDeferredValue(query.trim());
  const search = useCatalogueSearch(settled);
  const update = useUpdateCatalogue();
  const [address, setAddress] = useState<string | null>(null);
  const chosen = useChosenServer(taken, onDone);
  const take = (list: { url: string } | File) => {
    if (update.isPending) return;
    update.mutate(list, {
      onSuccess: ({ servers, leftOut }) => {
        setAddress(null);
        const from = list instanceof File ? list.name : new URL(list.url).host;
        showToast(`The catalogue has ${formatCount(servers, 'server')} from ${from}.`, {
          ...(leftOut > 0 && {
            description: `${formatCount(leftOut, 'other was', 'others were')} skipped: withdrawn, malformed, or unsupported.`,
          }),
        });
      },
    });
  };
  const lastAddress = search.data?.updated?.from;
  return {
    query,
    setQuery,
    settled,
    search,
    chosen,
    view: chosen.server ? ('server' as const) : address === null ? ('list' as const) : ('update' as const),
    update: {
      address: address ?? '',
      setAddress,
      open: () => {
        update.reset();
        setAddress(lastAddress !== undefined && URL.canParse(lastAddress) ? lastAddress : publicRegistry);
      },
      close: () => setAddress(null),
      readFile: (file: File) => take(file),
      isPending: update.isPending,
      error: update.error,
    },
    submit: () => {
      if (chosen.server) return chosen.add();
      if (address !== null) take({ url: address.trim() });
    },
  };
}

interface ServerForm {
  way: number;
  /** Empty for the suggested name. */
  name: string;
  values: Record<string, string>;
}

const emptyForm: ServerForm = { way: 0, name: '', values: {} };

/** What was entered for a server of the catalogue, except secrets, survives a reload. */
const draftOf = ({ name }: CatalogueServer) => `server/catalogue/${name}`;

function useChosenServer(taken: readonly string[], onDone: () => void) {
  const [server, setServer] = useState<CatalogueServer | null>(null);
  const [form, setForm] = useState(emptyForm);
  const [restored, setRestored] = useState<{ at: number } | null>(null);
  const [wasSent, setWasSent] = useState(false);
  const add = useAddServer();
  const ways = server ? waysToAdd(server) : [];
  const way: WayToAdd | undefined = ways[form.way] ?? ways[0];
  const { values } = form;
  // After success, its own name must not look taken while the dialog closes.
  const name = form.name || (server ? suggestName(server, add.isSuccess ? [] : taken) : '');
  const nameProblem = add.isSuccess ? null : checkServerName(name, taken);
  const problems = way ? checkValues(way, values) : {};
  const change = (next: ServerForm) => {
    setForm(next);
    if (server) keepDraft(draftOf(server), withoutSecrets(next, ways[next.way]), null);
  };
  return {
    server,
    ways,
    way,
    values,
    name,
    nameProblem: wasSent ? nameProblem : null,
    problems: wasSent ? problems : {},
    hasSecret: JSON.stringify(withoutSecrets(form, way)) !== JSON.stringify(form),
    isAdding: add.isPending || add.isSuccess,
    error: add.error ?? (wasSent && problems[''] ? new Error(problems['']) : null),
    draft: {
      restored,
      discard: () => {
        if (server) removeDraft(draftOf(server));
        setForm(emptyForm);
        setRestored(null);
      },
    },
    setName: (typed: string) => change({ ...form, name: typed }),
    setValue: (key: string, value: string) => change({ ...form, values: { ...values, [key]: value } }),
    chooseWay: (index: number) => {
      change({ ...form, way: index, values: {} });
      setWasSent(false);
    },
    choose: (next: CatalogueServer | null) => {
      const draft = next ? readDraft(draftOf(next)) : undefined;
      const kept = draft && shapeLike(draft.value, emptyForm);
      setServer(next);
      setForm(kept ?? emptyForm);
      setRestored(draft && kept ? draft : null);
      setWasSent(false);
      add.reset();
    },
    add: () => {
      setWasSent(true);
      if (!server || !way || add.isPending || nameProblem !== null || Object.keys(problems).length > 0) return;
      // `checkValues` has found no problem with it.
      const definition = ServerDefinition.parse(way.define(values));
      add.mutate(
        { name, definition },
        {
          onSuccess: () => {
            removeDraft(draftOf(server));
            showToast(`Added “${name}”. Connecting…`);
            onDone();
          },
        },
      );
    },
  };
}

function withoutSecrets(form: ServerForm, way: WayToAdd | undefined): ServerForm {
  const shown = way?.fields.filter(({ isSecret }) => !isSecret).map(({ key }) => key) ?? [];
  return { ...form, values: Object.fromEntries(Object.entries(form.values).filter(([key]) => shown.includes(key))) };
}
