import { useEffect, useRef } from 'react';
import { type FormDraft, useFormDraft } from '../../parts/drafts/use-form-draft.ts';

/** Like `useFormDraft`, for a form that is always on the screen: a value saved elsewhere replaces an untouched one. */
export function useDraftOver<T>(name: string, saved: T, base: string): FormDraft<T> {
  const typed = useFormDraft<T>(name, saved, { base });
  const { set, value } = typed;
  const before = useRef(saved);
  useEffect(() => {
    if (isSame(before.current, saved)) return;
    if (isSame(value, before.current)) set(saved);
    before.current = saved;
  }, [saved, value, set]);
  return typed;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
