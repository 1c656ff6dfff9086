import { useMemo } from 'react';
import { markedParts } from './marked-parts.ts';

/** A snippet with its matches marked; everything else is text, whatever it looks like. */
export function MarkedText({ snippet }: { snippet: string }) {
  const parts = useMemo(() => markedParts(snippet), [snippet]);
  return parts.map(({ at, text, marked }) =>
    marked ? (
      <mark key={at} className="rounded-xs bg-warn-soft px-0.5 font-medium text-text">
        {text}
      </mark>
    ) : (
      text
    ),
  );
}
