import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useEffect, useRef } from 'react';
import { useMedia } from '../../ui/use-media.ts';

export interface DetailSheetProps {
  label: string;
  onClose: () => void;
  children: ReactNode;
}

/** Beside the list where there is room, over its edge where there is less, and instead of it on a phone. */
export function DetailSheet({ label, onClose, children }: DetailSheetProps) {
  const isWide = useMedia('(min-width: 48rem)');
  const popup = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    if (!isWide) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      if (event.target instanceof Element && event.target.closest('input, [role="listbox"], [role="dialog"]')) return;
      event.preventDefault();
      close.current();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [isWide]);
  if (isWide) {
    return (
      <aside
        aria-label={label}
        className="sticky top-0 z-10 h-dvh w-[30rem] shrink-0 border-line border-l bg-surface max-xl:fixed max-xl:inset-y-0 max-xl:right-0 max-xl:z-30 max-xl:w-[min(30rem,60vw)] max-xl:shadow-pop"
      >
        {children}
      </aside>
    );
  }
  return (
    <Dialog.Root
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Popup
          ref={popup}
          initialFocus={popup}
          aria-label={label}
          className="fixed inset-0 z-40 bg-surface outline-none"
        >
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
