import { Combobox as Base } from '@base-ui/react/combobox';
import { type FocusEvent, type ReactNode, useRef } from 'react';
import { classes } from './classes.ts';

export interface ListPopupProps {
  align?: 'start' | 'center';
  className: string;
  children: ReactNode;
}

/**
 * The box around the list of a Base UI combobox whose field is on the page. Its root and its field need what `useListPopup`
 * returns. Base UI's own popup hides the rest of the page from screen readers, although the focus can still go there.
 */
export function ListPopup({ align = 'center', className, children }: ListPopupProps) {
  return (
    <Base.Portal>
      {/* A press beside the options leaves the focus in the field. */}
      <Base.Positioner sideOffset={4} align={align} className="z-50" onMouseDown={(event) => event.preventDefault()}>
        <div className={classes('flex flex-col rounded-xl border border-line bg-raised shadow-pop', className)}>
          {children}
        </div>
      </Base.Positioner>
    </Base.Portal>
  );
}

/** Closes the list when the focus leaves the field, however soon after the list has opened, and takes it out of the page. */
export function useListPopup(onOpenChange: (open: boolean) => void) {
  const actionsRef = useRef<Base.Root.Actions>(null);
  return {
    root: {
      actionsRef,
      onOpenChange: (open: boolean) => {
        onOpenChange(open);
        if (!open) actionsRef.current?.unmount();
      },
    },
    onBlur: ({ relatedTarget }: FocusEvent) => {
      // Without another element, the user has only gone to another window.
      if (relatedTarget) actionsRef.current?.close();
    },
  };
}
