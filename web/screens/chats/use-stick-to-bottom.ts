import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** This near to the end counts as there. */
const nearby = 48;

interface StickToBottom {
  scroller: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  /** False once the person has scrolled up to read. */
  isAtEnd: boolean;
  jump: () => void;
}

/** Keeps the end in sight while it grows, unless somebody reads further up. */
export function useStickToBottom(): StickToBottom {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isStuck = useRef(true);
  const [isAtEnd, setIsAtEnd] = useState(true);

  const jump = useCallback(() => {
    isStuck.current = true;
    setIsAtEnd(true);
    const box = scroller.current;
    if (box) box.scrollTop = box.scrollHeight;
  }, []);

  useLayoutEffect(jump, [jump]);
  useEffect(() => {
    const box = scroller.current;
    const inner = content.current;
    if (!box || !inner) return;
    let lastTop = box.scrollTop;
    const onScroll = () => {
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < nearby;
      // What grows below also moves the end away; only a step up is the person's wish.
      if (isNear) isStuck.current = true;
      else if (box.scrollTop < lastTop - 1) isStuck.current = false;
      lastTop = box.scrollTop;
      setIsAtEnd(isStuck.current);
    };
    const observer = new ResizeObserver(() => {
      if (isStuck.current) box.scrollTop = box.scrollHeight;
    });
    observer.observe(inner);
    observer.observe(box);
    box.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', onScroll);
    };
  }, []);
  return { scroller, content, isAtEnd, jump };
}
