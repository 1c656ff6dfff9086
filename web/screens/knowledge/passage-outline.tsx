import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { Chunk } from '../../../src/knowledge/document.ts';

export interface PassageOutlineProps {
  /** The first ones. */
  passages: readonly Pick<Chunk, 'ordinal' | 'heading' | 'startLine'>[];
  total: number;
}

/** The passages by their headings, beside the document on wide screens. */
export const PassageOutline = memo(function PassageOutline({ passages, total }: PassageOutlineProps) {
  return (
    <nav
      aria-label="Passages"
      className="sticky top-4 flex max-h-[calc(100dvh-2rem)] w-56 shrink-0 flex-col max-lg:hidden"
    >
      <h2 className="px-2 pb-1.5 font-medium font-sans text-2xs text-faint uppercase tracking-wider">
        {total.toLocaleString('en')} passages
      </h2>
      <ol className="min-h-0 flex-1 overflow-y-auto">
        {passages.map((passage) => (
          <li key={passage.ordinal}>
            <Link
              to="."
              search={(now: { q?: string }) => now}
              hash={`p${passage.ordinal}`}
              replace
              resetScroll={false}
              hashScrollIntoView={false}
              activeOptions={{ includeHash: true }}
              className="flex items-baseline gap-2 rounded-md px-2 py-1 text-muted text-xs outline-offset-[-2px] hover:bg-hover hover:text-text aria-[current]:bg-accent-soft aria-[current]:text-accent-text"
            >
              <span className="min-w-0 flex-1 truncate">
                {passage.heading.at(-1) ?? `Passage ${passage.ordinal + 1}`}
              </span>
              <span className="text-2xs text-faint tabular-nums">{passage.startLine}</span>
            </Link>
          </li>
        ))}
      </ol>
      {total > passages.length && (
        <p className="px-2 pt-1 text-faint text-xs">and {(total - passages.length).toLocaleString('en')} more</p>
      )}
    </nav>
  );
});
