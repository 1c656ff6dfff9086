import { createDraftStorage, type Draft } from './draft-storage.ts';

const storage = createDraftStorage({ place: () => localStorage, now: Date.now });
const hubKey = 'zoo.hub';

/** While someone types, the text is stored at most this often. Leaving the page stores it at once. */
const pauseMs = 250;

/** Drafts of this page by name; null for one that was removed. They also cover a browser that stores nothing. */
const known = new Map<string, Draft | null>();
const unstored = new Set<string>();
const refused = new Set<string>();
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
  const before = currentHub();
  if (before === nextHub) return false;
  if (before !== null) {
    storeDrafts();
    known.clear();
    refused.clear();
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
  return at === null ? undefined : storage.read(at, name);
}

/** Keeps what was typed. It is in the browser's storage a moment later. */
export function keepDraft(name: string, value: unknown, base: string | null): void {
  known.set(name, { value, at: Date.now(), base });
  unstored.add(name);
  timer ??= setTimeout(storeDrafts, pauseMs);
  if (isListening) return;
  isListening = true;
  window.addEventListener('pagehide', storeDrafts);
  document.addEventListener('visibilitychange', storeDrafts);
}

/** Forgets a draft: its text was saved, sent or discarded. */
export function removeDraft(name: string): void {
  known.set(name, null);
  unstored.delete(name);
  refused.delete(name);
  const at = currentHub();
  if (at !== null) storage.remove(at, name);
}

/** Whether a reload of this page would lose the draft, because the browser does not store it. */
export function isRefused(name: string): boolean {
  storeDrafts();
  return refused.has(name) || unstored.has(name);
}

/** Forgets all drafts of this hub: the user signs out. */
export function clearDrafts(): void {
  clearTimeout(timer);
  timer = undefined;
  known.clear();
  unstored.clear();
  refused.clear();
  const at = currentHub();
  if (at !== null) storage.clear(at);
}

function storeDrafts(): void {
  clearTimeout(timer);
  timer = undefined;
  const at = currentHub();
  // Before the hub's first reply it is not known whose drafts they are.
  if (at === null) return;
  for (const name of unstored) {
    const draft = known.get(name);
    if (draft && storage.write(at, name, draft)) refused.delete(name);
    else refused.add(name);
  }
  unstored.clear();
}
