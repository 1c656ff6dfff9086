import { createContext, type RefObject } from 'react';

/** The scrolling element around the content of a dialog, sheet or column; null where the page scrolls. */
export const Scroller = createContext<RefObject<HTMLElement | null> | null>(null);
