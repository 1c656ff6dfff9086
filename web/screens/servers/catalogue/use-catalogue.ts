import { useDeferredValue, useState } from 'react';
import { type CatalogueServer, publicRegistry } from '../../../../src/servers/catalogue/catalogue.ts';
import { checkValues, suggestName, type WayToAdd, waysToAdd } from '../../../../src/servers/catalogue/ways-to-add.ts';
import { ServerDefinition } from '../../../../src/servers/server-definition.ts';
import { useCatalogueSearch, useUpdateCatalogue } from '../../../api/catalogue-queries.ts';
import { useAddServer } from '../../../api/server-queries.ts';
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
      isPending: update.isPending,
      error: update.error,
    },
    submit: () => {
      if (chosen.server) return chosen.add();
      if (address === null || update.isPending) return;
      update.mutate(address.trim(), {
        onSuccess: ({ servers }) => {
          setAddress(null);
          showToast(`The catalogue has ${formatCount(servers, 'server')} from ${new URL(address).host}.`);
        },
      });
    },
  };
}

function useChosenServer(taken: readonly string[], onDone: () => void) {
  const [server, setServer] = useState<CatalogueServer | null>(null);
  const [wayIndex, setWayIndex] = useState(0);
  const [values, setValues] = useState<Record<string, string>>({});
  const [typedName, setTypedName] = useState<string | null>(null);
  const [wasSent, setWasSent] = useState(false);
  const add = useAddServer();
  const ways = server ? waysToAdd(server) : [];
  const way: WayToAdd | undefined = ways[wayIndex] ?? ways[0];
  // After success, its own name must not look taken while the dialog closes.
  const name = typedName ?? (server ? suggestName(server, add.isSuccess ? [] : taken) : '');
  const nameProblem = add.isSuccess ? null : checkServerName(name, taken);
  const problems = way ? checkValues(way, values) : {};
  return {
    server,
    ways,
    way,
    values,
    name,
    nameProblem: wasSent ? nameProblem : null,
    problems: wasSent ? problems : {},
    isAdding: add.isPending || add.isSuccess,
    error: add.error,
    setName: setTypedName,
    setValue: (key: string, value: string) => setValues((before) => ({ ...before, [key]: value })),
    chooseWay: (index: number) => {
      setWayIndex(index);
      setValues({});
      setWasSent(false);
    },
    choose: (next: CatalogueServer | null) => {
      setServer(next);
      setWayIndex(0);
      setValues({});
      setTypedName(null);
      setWasSent(false);
      add.reset();
    },
    add: () => {
      setWasSent(true);
      if (!way || add.isPending || nameProblem !== null || Object.keys(problems).length > 0) return;
      const definition = ServerDefinition.parse(way.define(values));
      add.mutate(
        { name, definition },
        {
          onSuccess: () => {
            showToast(`Added “${name}”. Connecting…`);
            onDone();
          },
        },
      );
    },
  };
}
