/** What this browser remembers of chats. It works without a memory, too. */
export interface Remembering {
  getItem: (key: string) => string | null;
  setItem: (key: string, value: string) => void;
  removeItem: (key: string) => void;
}

const tabsKey = 'zoo.chat.tabs';
const maxTabs = 30;

export function readTabs(storage: Remembering): string[] {
  try {
    const value: unknown = JSON.parse(storage.getItem(tabsKey) ?? '[]');
    return Array.isArray(value) ? value.filter((id) => typeof id === 'string').slice(-maxTabs) : [];
  } catch {
    return [];
  }
}

export function writeTabs(storage: Remembering, ids: readonly string[]): void {
  quietly(() => storage.setItem(tabsKey, JSON.stringify(ids)));
}

/** One more at the end; the oldest goes when there are too many. */
export function withTab(ids: readonly string[], id: string): readonly string[] {
  return ids.includes(id) ? ids : [...ids, id].slice(-maxTabs);
}

/** The tab to show when one is closed: the one after it, else the one before. */
export function neighbourOf(ids: readonly string[], id: string): string | undefined {
  const index = ids.indexOf(id);
  return index === -1 ? undefined : (ids[index + 1] ?? ids[index - 1]);
}

/** `new` for the message of a chat that is not there yet. */
export function readDraft(storage: Remembering, chatId: string): string {
  try {
    return storage.getItem(draftKey(chatId)) ?? '';
  } catch {
    return '';
  }
}

export function writeDraft(storage: Remembering, chatId: string, text: string): void {
  quietly(() => (text === '' ? storage.removeItem(draftKey(chatId)) : storage.setItem(draftKey(chatId), text)));
}

function draftKey(chatId: string): string {
  return `zoo.chat.draft.${chatId}`;
}

/** A full or forbidden storage only means that it is not remembered. */
function quietly(run: () => void): void {
  try {
    run();
  } catch {}
}
