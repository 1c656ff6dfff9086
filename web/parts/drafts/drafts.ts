import { useSyncExternalStore } from 'react';
import { createDraftStorage, type Draft } from './draft-storage.ts';

const storage = createDraftStorage({ place: () => localStorage, now: Date.now });
/** What this tab typed. A reload brings that back, whatever other tabs have typed in the same form since. */
const ofTab = createDraftStorage({ place: () => sessionStorage, now: Date.now });
const hubKey = 'zoo.hub';

/** While someone types, the text is stored at most this often. Leaving the page stores it at once. */
const pauseMs = 250;

/** Drafts of this page by name; null for one that was removed. They also cover a browser that stores nothing. */
const known = new Map<string, Draft | null>();
/** When the newest text that this page wrote or showed was typed. Later text in storage belongs to another page. */
const seen = new Map<string, number>();
const unstored = new Set<string>();
let refused: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;
let hub: string | null | undefined;
let isListening = false;

/** Returns the hub that this browser last talked to at this address; null before the first reply. */
function currentHub(): string | null {
  if (hub === undefined) {
    try {
      hub = localStorage.getItem(hubKey);
    } catch {
      hub = null;
    }
  }
  return hub;
}

/**
 * Sets the hub behind this address. Returns whether it differs from the one before: what is on the screen then belongs to
 * the earlier hub.
 */
export function openDraftsOf(nextHub: string): boolean {
  listen();
  const before = currentHub();
  if (before === nextHub) return false;
  if (before !== null) {
    storeDrafts();
    forgetAll();
  }
  hub = nextHub;
  try {
    localStorage.setItem(hubKey, nextHub);
  } catch {}
  storeDrafts();
  return before !== null;
}

export function readDraft(name: string): Draft | undefined {
  const found = known.get(name);
  if (found !== undefined) return found ?? undefined;
  const at = currentHub();
  if (at === null) return undefined;
  const stored = ofTab.read(at, name) ?? storage.read(at, name);
  if (stored) seen.set(name, stored.at);
  return stored;
}

/** Keeps what was typed. It is in the browser's storage a moment later. */
export function keepDraft(name: string, value: unknown, base: string | null): void {
  const at = Date.now();
  known.set(name, { value, at, base });
  seen.set(name, at);
  storeSoon(name);
}

/** Forgets a draft: its text was saved, sent or discarded. Text that another page stored since stays. */
export function removeDraft(name: string): void {
  known.set(name, null);
  unstored.delete(name);
  setRefused(name, false);
  const at = currentHub();
  if (at === null) return;
  storage.remove(at, name, seen.get(name) ?? 0);
  ofTab.remove(at, name, Date.now());
}

/** Hides a draft while its text is being saved: a form that is opened meanwhile starts empty. Returns a function that restores it. */
export function hideDraft(name: string): () => void {
  storeDrafts();
  const draft = readDraft(name);
  known.set(name, null);
  return () => {
    if (draft && known.get(name) === null) keepDraft(name, draft.value, draft.base);
  };
}

/** Forgets a hidden draft that was saved, unless something else was typed since. */
export function removeHidden(name: string): void {
  if (known.get(name) === null) removeDraft(name);
}

/** Whether a reload of this page would lose the draft, because the browser does not store it. */
export function isRefused(name: string): boolean {
  storeDrafts();
  return refused.has(name) || unstored.has(name);
}

/** Like `isRefused`, for showing it. */
export function useIsRefused(name: string): boolean {
  return useSyncExternalStore(subscribe, () => refused.has(name));
}

/** Returns how many drafts this browser has of this hub. */
export function countDrafts(): number {
  storeDrafts();
  const at = currentHub();
  const names = new Set(at === null ? [] : [...storage.names(at), ...ofTab.names(at)]);
  for (const [name, draft] of known) if (draft) names.add(name);
  return names.size;
}

/** Forgets all drafts of this hub, in all its pages: the user signs out. */
export function clearDrafts(): void {
  forgetAll();
  const at = currentHub();
  if (at === null) return;
  try {
    // Tells the other pages first: they would keep text that differs from what is stored.
    localStorage.removeItem(hubKey);
    storage.clear(at);
    ofTab.clear(at);
    localStorage.setItem(hubKey, at);
  } catch {}
}

function forgetAll(): void {
  clearTimeout(timer);
  timer = undefined;
  known.clear();
  seen.clear();
  unstored.clear();
  refused = new Set();
}

function storeSoon(name: string): void {
  unstored.add(name);
  timer ??= setTimeout(storeDrafts, pauseMs);
  listen();
}

/** Another tab may save or discard what this one typed, or the user may sign out there. */
function listen(): void {
  if (isListening) return;
  isListening = true;
  window.addEventListener('pagehide', storeDrafts);
  document.addEventListener('visibilitychange', storeDrafts);
  window.addEventListener('storage', onOtherPage);
  window.addEventListener('beforeunload', (event) => {
    storeDrafts();
    if (refused.size + unstored.size > 0) event.preventDefault();
  });
}

/** Another page of this browser changed what is stored. */
function onOtherPage({ key, oldValue, newValue }: StorageEvent): void {
  const at = currentHub();
  if (at === null || key === null || newValue !== null) return;
  if (key === hubKey) {
    forgetAll();
    ofTab.clear(at);
    return;
  }
  const name = storage.nameOf(at, key);
  const ours = name === undefined ? undefined : (known.get(name) ?? ofTab.read(at, name));
  if (name === undefined || !ours) return;
  // It saved or discarded the text of this page, or its own, which had replaced this page's.
  if (storage.timeOf(oldValue) === ours.at) {
    known.set(name, null);
    ofTab.remove(at, name, ours.at);
  } else if (known.get(name)) storeSoon(name);
}

function storeDrafts(): void {
  clearTimeout(timer);
  timer = undefined;
  const at = currentHub();
  // Before the hub's first reply it is not known whose drafts they are.
  if (at === null) return;
  for (const name of unstored) {
    const draft = known.get(name);
    if (!draft) continue;
    ofTab.write(at, name, draft);
    setRefused(name, !storage.write(at, name, draft));
  }
  unstored.clear();
}

function setRefused(name: string, isNow: boolean): void {
  if (refused.has(name) === isNow) return;
  refused = isNow ? refused.union(new Set([name])) : refused.difference(new Set([name]));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
