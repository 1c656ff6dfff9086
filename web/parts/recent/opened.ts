import { useEffect } from 'react';
import { createStoredList } from '../../ui/stored-list.ts';

const openedKinds = ['agent', 'chat', 'task', 'run', 'tool', 'server', 'document'] as const;
type OpenedKind = (typeof openedKinds)[number];

/** Something the user opened in this browser. */
export interface Opened {
  kind: OpenedKind;
  id: string;
  name: string;
}

const maxOpened = 30;
const stored = createStoredList('opened', isOpened);

/** Remembers that a screen shows this, once its name is known. Null means that it does not exist: then it is forgotten. */
export function useNoteOpened(kind: OpenedKind, id: string, name: string | null | undefined): void {
  useEffect(() => {
    if (name === null) stored.save(stored.read().filter((each) => each.kind !== kind || each.id !== id));
    else if (name) stored.save(withOpened(stored.read(), { kind, id, name }));
  }, [kind, id, name]);
}

/** What the user opened, newest first. */
export function useOpened(): readonly Opened[] {
  return stored.use();
}

export function withOpened(list: readonly Opened[], opened: Opened): Opened[] {
  const others = list.filter(({ kind, id }) => kind !== opened.kind || id !== opened.id);
  return [opened, ...others].slice(0, maxOpened);
}

export function isOpened(value: unknown): value is Opened {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, id, name } = value as Record<string, unknown>;
  return openedKinds.some((each) => each === kind) && typeof id === 'string' && typeof name === 'string';
}
