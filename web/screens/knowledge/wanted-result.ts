import { createContext, useContext, useEffect } from 'react';

interface WantedResult {
  /** The text whose first result the user wants to open, which may not have been found yet. */
  words: string | null;
  forget: () => void;
}

export const WantedResult = createContext<WantedResult>({ words: null, forget: () => {} });

/** Opens the first result as soon as the results are those of the text that the user pressed Enter after. */
export function useWantedResult(words: string, isOld: boolean): void {
  const wanted = useContext(WantedResult);
  useEffect(() => {
    if (isOld || wanted.words !== words.trim()) return;
    wanted.forget();
    document.querySelector<HTMLElement>('[data-result="0"]')?.click();
  }, [wanted, words, isOld]);
}
