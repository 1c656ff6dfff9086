import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, type RefObject, useRef } from 'react';
import { classes } from './classes.ts';
import { Scroller } from './scroller.ts';

export interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons, the primary one last. */
  footer?: ReactNode;
  size?: 'sm' | 'md' | 'lg' | 'xl';
  /** Keeps the dialog open on an outside click, for content that would be lost. */
  staysOnClickOutside?: boolean;
  initialFocus?: RefObject<HTMLElement | null> | (() => HTMLElement | null);
}

/** A centered window; on a phone, a sheet from the bottom. */
export function Dialog({
  open,
  onClose,
  title,
  description,
  children,
  footer,
  size = 'md',
  staysOnClickOutside = false,
  initialFocus,
}: DialogProps) {
  const body = useRef<HTMLDivElement>(null);
  return (
    <Base.Root
      open={open}
      disablePointerDismissal={staysOnClickOutside}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-scrim transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          {...(initialFocus && { initialFocus })}
          className={classes(
            'fixed z-40 flex max-h-[min(85dvh,52rem)] flex-col overflow-hidden border border-line bg-surface shadow-pop outline-none transition-[opacity,translate,scale] duration-150',
            'max-sm:inset-x-0 max-sm:bottom-0 max-sm:rounded-t-2xl max-sm:data-ending-style:translate-y-8 max-sm:data-starting-style:translate-y-8',
            'sm:-translate-x-1/2 sm:-translate-y-1/2 sm:top-1/2 sm:left-1/2 sm:w-[calc(100vw-2rem)] sm:rounded-2xl sm:data-ending-style:scale-98 sm:data-starting-style:scale-98',
            'data-ending-style:opacity-0 data-starting-style:opacity-0',
            size === 'sm' && 'sm:max-w-md',
            size === 'md' && 'sm:max-w-xl',
            size === 'lg' && 'sm:max-w-3xl',
            size === 'xl' && 'sm:max-w-5xl',
          )}
        >
          <header className="px-5 pt-4 pr-14 pb-3">
            <Base.Title className="font-display font-semibold text-base">{title}</Base.Title>
            {description && (
              <Base.Description className="mt-0.5 text-pretty text-muted text-sm">{description}</Base.Description>
            )}
          </header>
          {children !== undefined && (
            <div ref={body} className="min-h-0 flex-1 overflow-y-auto px-5 pt-1 pb-5 has-[>form:empty]:py-0">
              <Scroller value={body}>{children}</Scroller>
            </div>
          )}
          {footer && (
            <footer className="flex flex-wrap items-center justify-end gap-2 border-line border-t bg-sunken/50 px-5 py-3">
              {footer}
            </footer>
          )}
          {/* Last, so that the first field gets focus. */}
          <Base.Close
            aria-label="Close"
            className="absolute top-3 right-3 inline-flex size-8 items-center justify-center rounded-lg text-muted hover:bg-hover hover:text-text max-md:size-9"
          >
            <X aria-hidden className="size-4" />
          </Base.Close>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
