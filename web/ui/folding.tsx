import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { classes } from './classes.ts';

export interface FoldingProps {
  summary: ReactNode;
  isOpenFirst?: boolean;
  children: ReactNode;
}

/** A collapsible section. Its content is not rendered while closed: a long conversation has many results. */
export function Folding({ summary, isOpenFirst = false, children }: FoldingProps) {
  const [isOpen, setIsOpen] = useState(isOpenFirst);
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full min-w-0 items-center gap-2 rounded-md px-1.5 py-1 text-left hover:bg-hover max-md:py-2"
      >
        <ChevronRight
          aria-hidden
          className={classes('size-3.5 shrink-0 text-faint transition-transform', isOpen && 'rotate-90')}
        />
        {summary}
      </button>
      {isOpen && <div className="px-1.5 pt-1 pb-1.5">{children}</div>}
    </div>
  );
}
