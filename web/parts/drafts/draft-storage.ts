/** The part of `localStorage` that drafts use. Drafts also work when it throws: they then live as long as the page. */
export interface DraftPlace {
  readonly length: number;
  key: (index: number) => string | null;
  getItem: (key: string) => string | null;
  setItem: (key: string, value: string) => void;
  removeItem: (key: string) => void;
}

/** Text that was typed and not saved yet. */
export interface Draft {
  value: unknown;
  /** When it was typed, in milliseconds. */
  at: number;
  /** The version of what it changes; null for something new. */
  base: string | null;
}

/** Measured in characters. Browsers give all data of an address about five million. */
export const draftLimits = { one: 1_000_000, all: 3_000_000, ageMs: 30 * 24 * 60 * 60 * 1_000 } as const;

export interface DraftStorageParts {
  /** Returns the place, or throws if the browser blocks it. */
  place: () => DraftPlace;
  now: () => number;
}

const prefix = 'zoo.draft/';

/** Stores drafts by hub and name, and forgets the oldest ones beyond the limits. */
export function createDraftStorage({ place, now }: DraftStorageParts) {
  const keyOf = (hub: string, name: string) => `${prefix}${hub}/${name}`;
  const names = (): string[] =>
    Array.from({ length: place().length }, (_, index) => place().key(index)).filter(
      (key): key is string => key?.startsWith(prefix) ?? false,
    );

  const readKey = (key: string): Draft | undefined => {
    const text = place().getItem(key);
    const draft = text === null ? undefined : parse(text);
    return draft && now() - draft.at <= draftLimits.ageMs ? draft : undefined;
  };

  /** Removes what is too old or not readable, then the oldest until `room` characters fit. */
  const makeRoom = (room: number, except?: string): void => {
    const kept: { key: string; at: number; size: number }[] = [];
    for (const key of names()) {
      const draft = readKey(key);
      if (draft === undefined) place().removeItem(key);
      else if (key !== except) kept.push({ key, at: draft.at, size: place().getItem(key)?.length ?? 0 });
    }
    let used = kept.reduce((sum, { size }) => sum + size, room);
    for (const { key, size } of kept.toSorted((left, right) => left.at - right.at)) {
      if (used <= draftLimits.all) return;
      place().removeItem(key);
      used -= size;
    }
  };

  return {
    read: (hub: string, name: string): Draft | undefined => attempt(() => readKey(keyOf(hub, name)), undefined),

    /** Returns whether the draft is stored. One that is too large leaves no older text behind. */
    write: (hub: string, name: string, draft: Draft): boolean => {
      const key = keyOf(hub, name);
      const text = JSON.stringify(draft);
      if (text.length > draftLimits.one) {
        attempt(() => place().removeItem(key), undefined);
        return false;
      }
      const write = () => {
        makeRoom(text.length, key);
        place().setItem(key, text);
        return true;
      };
      return attempt(write, false);
    },

    /** Removes a draft, unless it was typed after this time. */
    remove: (hub: string, name: string, upTo: number): void =>
      attempt(() => {
        const key = keyOf(hub, name);
        if ((readKey(key)?.at ?? 0) <= upTo) place().removeItem(key);
      }, undefined),

    /** Returns the name of the draft with this key; undefined for other keys. */
    nameOf: (hub: string, key: string): string | undefined => {
      const start = keyOf(hub, '');
      return key.startsWith(start) ? key.slice(start.length) : undefined;
    },

    /** Returns when a stored draft was typed. */
    timeOf: (text: string | null): number | undefined => (text === null ? undefined : parse(text)?.at),

    /** Returns the names of the drafts of one hub. */
    names: (hub: string): string[] =>
      attempt(() => {
        const start = keyOf(hub, '');
        return names().flatMap((key) => (key.startsWith(start) && readKey(key) ? [key.slice(start.length)] : []));
      }, []),

    /** Removes the drafts of one hub. */
    clear: (hub: string): void =>
      attempt(() => {
        for (const key of names()) if (key.startsWith(keyOf(hub, ''))) place().removeItem(key);
      }, undefined),
  };
}

function parse(text: string): Draft | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('value' in value)) return undefined;
    const { at, base } = value as Partial<Draft>;
    if (typeof at !== 'number' || (base !== null && typeof base !== 'string')) return undefined;
    return { value: value.value, at, base };
  } catch {
    return undefined;
  }
}

/** Full or blocked storage must not break the form. */
function attempt<T>(run: () => T, otherwise: T): T {
  try {
    return run();
  } catch {
    return otherwise;
  }
}
