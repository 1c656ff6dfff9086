import { useEffect, useRef, useState } from 'react';
import { useDebounced } from '../../ui/use-debounced.ts';

const quietMs = 200;

/** Words that are typed here and stand in the address once the typing pauses; `write` puts them there. */
export function useSearchWords(inAddress: string, write: (words: string) => void) {
  const [text, setText] = useState(inAddress);
  const sought = useDebounced(text.trim(), quietMs);
  // The address follows a moment later; only what was not typed here is taken from it.
  const sent = useRef<string[]>([]);
  useEffect(() => {
    const arrived = sent.current.lastIndexOf(inAddress);
    sent.current.splice(0, arrived + 1);
    if (arrived === -1) setText(inAddress);
  }, [inAddress]);
  const latest = useRef({ inAddress, write });
  useEffect(() => {
    latest.current = { inAddress, write };
  });
  useEffect(() => {
    if (sought === (sent.current.at(-1) ?? latest.current.inAddress)) return;
    sent.current.push(sought);
    latest.current.write(sought);
  }, [sought]);
  return { text, setText, sought };
}
