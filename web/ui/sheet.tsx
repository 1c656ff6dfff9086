import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { Scroller } from './scroller.ts';

export interface SheetProps {
  /** The accessible name; shown unless `header` is given. */
  title: string;
  /** Replaces the visible title. */
  header?: ReactNode;
  onClose: () => void;
  children: ReactNode;
  footer?: ReactNode;
}

/** A panel from the right; full screen on a phone. */
export function Sheet({ title, header, onClose, children, footer }: SheetProps) {
  const popup = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-scrim transition-opacity data-starting-style:opacity-0" />
        <Base.Popup
          ref={popup}
          initialFocus={popup}
          className="fixed inset-y-0 right-0 z-40 flex w-full max-w-2xl flex-col overflow-hidden border-line border-l bg-surface shadow-pop outline-none transition-[opacity,translate] duration-150 data-starting-style:translate-x-6 data-starting-style:opacity-0"
        >
          <header className="flex min-h-13 flex-col justify-center border-line border-b py-3.5 pr-14 pl-5">
            <Base.Title className={header ? 'sr-only' : 'font-display font-semibold text-base'}>{title}</Base.Title>
            {header}
          </header>
          <div ref={body} className="min-h-0 flex-1 overflow-y-auto px-5 py-4">
            <Scroller value={body}>{children}</Scroller>
          </div>
          {footer && (
            <footer className="flex flex-wrap items-center justify-end gap-2 border-line border-t bg-sunken/50 px-5 py-3">
              {footer}
            </footer>
          )}
          <Base.Close
            aria-label="Close"
            className="absolute top-2.5 right-3 inline-flex size-8 items-center justify-center rounded-lg text-muted hover:bg-hover hover:text-text max-md:top-2 max-md:size-9"
          >
            <X aria-hidden className="size-4" />
          </Base.Close>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
