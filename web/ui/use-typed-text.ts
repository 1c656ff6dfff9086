import { useEffect, useRef, useState } from 'react';

const pauseMs = 300;

/** Text that is typed here and kept in the address: the address follows when the typing pauses; what changes there comes back here. */
export function useTypedText(inAddress: string, onChange: (text: string) => void) {
  const [typed, setTyped] = useState(inAddress);
  const sent = useRef(inAddress);
  const change = useRef(onChange);
  change.current = onChange;
  useEffect(() => {
    if (inAddress !== sent.current) setTyped(inAddress);
    sent.current = inAddress;
  }, [inAddress]);
  useEffect(() => {
    if (typed === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = typed;
      change.current(typed);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return [typed, setTyped] as const;
}

/** The same where the address follows each letter: only what was not typed here is taken from it. */
export function useSentText(inAddress: string, onChange: (text: string) => void) {
  const [text, setText] = useState(inAddress);
  const sent = useRef<string[]>([]);
  useEffect(() => {
    const arrived = sent.current.lastIndexOf(inAddress);
    sent.current.splice(0, arrived + 1);
    if (arrived === -1) setText(inAddress);
  }, [inAddress]);
  const type = (next: string) => {
    setText(next);
    sent.current.push(next);
    onChange(next);
  };
  return [text, type] as const;
}
