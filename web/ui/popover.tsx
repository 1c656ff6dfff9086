import { Popover as Base } from '@base-ui/react/popover';
import type { ReactElement, ReactNode } from 'react';

export interface PopoverProps {
  /** The button that opens the popover. */
  trigger: ReactElement;
  title: string;
  align?: 'start' | 'center' | 'end';
  /** Controls the popover from outside; omit it to let the popover control itself. */
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  children: ReactNode;
}

export function Popover({ trigger, title, align = 'start', open, onOpenChange, children }: PopoverProps) {
  return (
    <Base.Root {...(open !== undefined && { open })} {...(onOpenChange && { onOpenChange })}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} sideOffset={6} className="z-50">
          <Base.Popup className="max-w-[calc(100vw-1.5rem)] origin-(--transform-origin) rounded-xl border border-line bg-raised p-3 shadow-pop outline-none transition-[opacity,scale] data-ending-style:scale-98 data-starting-style:scale-98 data-ending-style:opacity-0 data-starting-style:opacity-0">
            <Base.Title className="sr-only">{title}</Base.Title>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
