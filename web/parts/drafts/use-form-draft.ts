import { useCallback, useEffect, useRef, useState } from 'react';
import { showError } from '../../ui/toast.tsx';
import type { Draft } from './draft-storage.ts';
import { hideDraft, isRefused, keepDraft, readDraft, removeDraft, removeHidden, useIsRefused } from './drafts.ts';

export interface FormDraftOptions<T> {
  /** The version of what the form changes, so that a restored draft of an older one can say so. */
  base?: string;
  /** Returns the value without secrets, which are never stored. */
  withoutSecrets?: (value: T) => T;
}

/** What follows when a form was saved or refused. */
interface Saving<R> {
  /** Runs even if the form was closed meanwhile. */
  onSaved?: (reply: R) => void;
  /** Runs only if the form is still there: to close it, or to empty it. */
  whileOpen?: (reply: R) => void;
  /** The title of a notice. Leave it out for a form that shows errors itself; the notice then appears only if it was closed. */
  failure?: string;
}

export interface FormDraft<T> {
  value: T;
  set: (next: T | ((before: T) => T)) => void;
  /** The draft that the form started with; null after it was discarded or saved. */
  restored: Pick<Draft, 'at' | 'base'> | null;
  /** Whether the restored draft changes an older version than the current one. */
  isOutdated: boolean;
  /** Returns to the start value. */
  discard: () => void;
  /**
   * Forgets the text once the hub has it, and keeps it if the hub refuses. The form may be closed meanwhile; if it is reopened before
   * the reply, it starts empty, so that nothing is sent twice.
   */
  save: <R>(request: Promise<R>, saving: Saving<R>) => void;
  /** Call when the text was saved or sent: there is nothing left to restore. */
  forget: () => void;
  /** Starts from a saved value. Given `over`, keeps what was typed since that value. */
  restart: (start: T, over?: T) => void;
  /** Whether the value differs from the start value. */
  isChanged: boolean;
  /** Returns whether a reload would restore everything that was typed. */
  isHeld: () => boolean;
  /** Whether the browser does not store the text. */
  isRefused: boolean;
}

/**
 * The value of a form, which survives a reload, a crash and an unreachable hub. Its name is that of the form and of what it
 * changes, such as `task/T-1`. Closing the form keeps the draft; submit it with `save`.
 */
export function useFormDraft<T>(name: string, start: T, options: FormDraftOptions<T> = {}): FormDraft<T> {
  const { base = null, withoutSecrets = same } = options;
  const [found] = useState(() => find(name, start));
  const [restored, setRestored] = useState(found?.draft ?? null);
  const [value, setValue] = useState<T>(found ? found.value : start);
  const latest = useRef({ value, start, name, base, withoutSecrets });
  useEffect(() => {
    latest.current = { ...latest.current, start, name, base, withoutSecrets };
  });

  const set = useCallback((next: T | ((before: T) => T)) => {
    const { current } = latest;
    // A function is an updater: no form has a function as its value.
    const changed = typeof next === 'function' ? (next as (before: T) => T)(current.value) : next;
    current.value = changed;
    setValue(changed);
    const kept = current.withoutSecrets(changed);
    if (isSame(kept, current.withoutSecrets(current.start))) {
      removeDraft(current.name);
      setRestored(null);
    } else keepDraft(current.name, kept, current.base);
  }, []);
  const restart = useCallback(
    (next: T, over?: T) => {
      const { current } = latest;
      current.start = next;
      if (over === undefined || current.value === over) set(next);
    },
    [set],
  );
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const save = useCallback(<R>(request: Promise<R>, { onSaved, whileOpen, failure }: Saving<R>) => {
    const { name: sent } = latest.current;
    const keepAgain = hideDraft(sent);
    request.then(
      (reply) => {
        removeHidden(sent);
        setRestored(null);
        onSaved?.(reply);
        if (isOpen.current) whileOpen?.(reply);
      },
      (error: unknown) => {
        keepAgain();
        if (failure !== undefined || !isOpen.current) showError(failure ?? 'Not saved. Your text is kept', error);
      },
    );
  }, []);
  const forget = useCallback(() => {
    removeDraft(latest.current.name);
    setRestored(null);
  }, []);
  const discard = useCallback(() => {
    const { current } = latest;
    current.value = current.start;
    setValue(current.start);
    removeDraft(current.name);
    setRestored(null);
  }, []);

  return {
    value,
    set,
    restored,
    save,
    isOutdated: restored !== null && restored.base !== base,
    discard,
    forget,
    restart,
    isChanged: !isSame(value, start),
    isHeld: () => isSame(withoutSecrets(value), value) && !isRefused(name),
    isRefused: useIsRefused(name),
  };
}

function same<T>(value: T): T {
  return value;
}

/** Returns a stored draft that has the shape of the form and differs from its start value. */
function find<T>(name: string, start: T): { draft: Draft; value: T } | undefined {
  const draft = readDraft(name);
  if (!draft) return undefined;
  const value = shapeLike(draft.value, start);
  return value === undefined || isSame(value, start) ? undefined : { draft, value };
}

/** Returns the draft in the shape of the start value; undefined if it has another one, perhaps from an older version. */
export function shapeLike<T>(stored: unknown, start: T): T | undefined {
  if (Array.isArray(start) || typeof start !== 'object' || start === null) {
    return typeof stored === typeof start && Array.isArray(stored) === Array.isArray(start) ? (stored as T) : undefined;
  }
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return undefined;
  const fields = Object.entries(start).map(([field, value]) => {
    const found: unknown = Object.hasOwn(stored, field) ? Reflect.get(stored, field) : value;
    const fits = value === null || found === null || typeof found === typeof value;
    return [field, fits ? found : value] as const;
  });
  // Every field has the type of the start value, or is null.
  return Object.fromEntries(fields) as T;
}

function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}
