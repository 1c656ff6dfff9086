import { createStoredList } from '../../../ui/stored-list.ts';

/** Two chats that were asked side by side, by id. */
export interface Comparison {
  left: string;
  right: string;
}

const maxComparisons = 100;
const comparisons = createStoredList('chat-comparisons', isComparison);

/** The comparisons that were open in this browser, newest first. */
export const useComparisons = comparisons.use;

/** Remembers a comparison, so that its chats lead back to it. */
export function noteComparison(opened: Comparison): void {
  const before = comparisons.read();
  // Its place in the list stays, so that a reload changes nothing.
  if (!before.some((each) => isSame(each, opened))) comparisons.save([opened, ...before].slice(0, maxComparisons));
}

/** Forgets the comparisons with a chat that was deleted. */
export function forgetComparisons(chatId: string): void {
  comparisons.save(comparisons.read().filter((each) => !hasChat(each, chatId)));
}

/** Returns the newest comparison with a chat. */
export function comparisonWith(list: readonly Comparison[], chatId: string): Comparison | undefined {
  return list.find((each) => hasChat(each, chatId));
}

function hasChat({ left, right }: Comparison, chatId: string): boolean {
  return left === chatId || right === chatId;
}

function isSame(one: Comparison, other: Comparison): boolean {
  return one.left === other.left && one.right === other.right;
}

function isComparison(value: unknown): value is Comparison {
  if (typeof value !== 'object' || value === null) return false;
  const { left, right } = value as Partial<Comparison>;
  return typeof left === 'string' && typeof right === 'string';
}
