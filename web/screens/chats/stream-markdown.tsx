import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { Markdown } from '../../ui/markdown.tsx';
import { hasDefinitions, markdownBlocks } from './markdown-blocks.ts';

export interface StreamMarkdownProps {
  text: string;
  /** More of it comes. */
  isOngoing: boolean;
}

/** A text that may still grow: only its last block is read and drawn again. */
export const StreamMarkdown = memo(function StreamMarkdown({ text, isOngoing }: StreamMarkdownProps) {
  const blocks = useMemo(() => (!isOngoing && hasDefinitions(text) ? [text] : markdownBlocks(text)), [text, isOngoing]);
  return (
    <div className="flex flex-col gap-2.5 text-sm [&>*]:min-w-0">
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end, so a block keeps its place.
        <Block key={index} text={block} isGrowing={isOngoing && index === blocks.length - 1} />
      ))}
    </div>
  );
});

/** A block this long takes longer to read than the time between two pictures. */
const quickLength = 4_000;

const Block = memo(function Block({ text, isGrowing }: { text: string; isGrowing: boolean }) {
  const shown = useSlowed(text, isGrowing && text.length > quickLength ? Math.min(1_000, text.length / 50) : 0);
  return <Markdown text={shown} look="answer" />;
});

/** The value, taken over no more often than every so many milliseconds; at once when that is 0. */
function useSlowed(value: string, everyMs: number): string {
  const [taken, setTaken] = useState(value);
  const takenAt = useRef(0);
  useEffect(() => {
    if (everyMs === 0) return;
    const timer = setTimeout(
      () => {
        takenAt.current = performance.now();
        setTaken(value);
      },
      takenAt.current + everyMs - performance.now(),
    );
    return () => clearTimeout(timer);
  }, [value, everyMs]);
  // Taken when it was another, quicker block: that is not a part of this one.
  return everyMs === 0 || !value.startsWith(taken) ? value : taken;
}
