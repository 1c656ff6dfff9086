import { useEffect, useRef, useState } from 'react';

const pauseMs = 300;

/** Syncs a text field with the address: the address follows when typing pauses, and the field follows the address. */
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

/** Like `useTypedText`, but the address follows each keystroke; the field ignores its own changes coming back. */
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
