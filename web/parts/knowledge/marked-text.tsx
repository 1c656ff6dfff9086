import { useMemo } from 'react';

/** Highlights a snippet's matches and shows the rest as plain text. */
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

interface TextPart {
  /** The offset in the snippet. */
  at: number;
  text: string;
  marked: boolean;
}

/** Splits a snippet at its matches, which are between `**` and `**`. An unpaired `**` is text. */
export function markedParts(snippet: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of snippet.matchAll(/\*\*(.+?)\*\*/gs)) {
    if (match.index > end) parts.push({ at: end, text: snippet.slice(end, match.index), marked: false });
    parts.push({ at: match.index, text: match[1] ?? '', marked: true });
    end = match.index + match[0].length;
  }
  if (end < snippet.length) parts.push({ at: end, text: snippet.slice(end), marked: false });
  return parts;
}
