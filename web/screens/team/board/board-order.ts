import { createStoredList } from '../../../ui/stored-list.ts';

/** Keeps the chosen order of the board in this browser. An empty list is the order by the last change. */
export const boardOrder = createStoredList('board-order', (value): value is 'urgency' => value === 'urgency');
