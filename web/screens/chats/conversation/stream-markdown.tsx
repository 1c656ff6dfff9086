import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { Markdown } from '../../../ui/markdown.tsx';
import { hasDefinitions, markdownBlocks } from './markdown-blocks.ts';

export interface StreamMarkdownProps {
  text: string;
  /** The text is still growing. */
  isOngoing: boolean;
}

/** Renders Markdown that may still grow. Only its last block is parsed and drawn again. */
export const StreamMarkdown = memo(function StreamMarkdown({ text, isOngoing }: StreamMarkdownProps) {
  const blocks = useMemo(() => (!isOngoing && hasDefinitions(text) ? [text] : markdownBlocks(text)), [text, isOngoing]);
  return (
    <div className="flex flex-col gap-2.5 text-sm [&>*]:min-w-0">
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end, so a block keeps its position.
        <Block key={index} text={block} isGrowing={isOngoing && index === blocks.length - 1} />
      ))}
    </div>
  );
});

/** Parsing a longer block takes more than one frame. */
const fastBlockLength = 4_000;

const Block = memo(function Block({ text, isGrowing }: { text: string; isGrowing: boolean }) {
  const shown = useThrottled(text, isGrowing && text.length > fastBlockLength ? Math.min(1_000, text.length / 50) : 0);
  return <Markdown text={shown} look="answer" />;
});

/** Returns the value, updated at most every `everyMs` milliseconds, or at once when that is 0. */
function useThrottled(value: string, everyMs: number): string {
  const [throttled, setThrottled] = useState(value);
  const updatedAt = useRef(0);
  useEffect(() => {
    if (everyMs === 0) return;
    const timer = setTimeout(
      () => {
        updatedAt.current = performance.now();
        setThrottled(value);
      },
      updatedAt.current + everyMs - performance.now(),
    );
    return () => clearTimeout(timer);
  }, [value, everyMs]);
  // A throttled value that is not a prefix belongs to an earlier block.
  return everyMs === 0 || !value.startsWith(throttled) ? value : throttled;
}
