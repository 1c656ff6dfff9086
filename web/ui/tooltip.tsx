import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';
import { Kbd } from './kbd.tsx';

export interface TooltipProps {
  label: string;
  shortcut?: string | undefined;
  side?: 'top' | 'bottom' | 'left' | 'right';
  /** One focusable element that takes a ref. */
  children: ReactElement;
}

/** Names an icon-only control. It repeats the accessible name, so it is not announced again. */
export function Tooltip({ label, shortcut, side = 'bottom', children }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} className="z-50">
          <Base.Popup className="flex items-center gap-2 rounded-md bg-text px-2 py-1 text-bg text-xs shadow-pop transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0">
            {label}
            {shortcut && <Kbd inverted>{shortcut}</Kbd>}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
