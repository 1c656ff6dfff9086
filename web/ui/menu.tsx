import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import { classes } from './classes.ts';
import { Kbd } from './kbd.tsx';

export interface MenuProps {
  /** The button that opens the menu. */
  trigger: ReactElement;
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'bottom';
  children: ReactNode;
}

export function Menu({ trigger, align = 'end', side = 'bottom', children }: MenuProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align={align} side={side} sideOffset={4} positionMethod="fixed" className="z-50">
          <Base.Popup className="max-h-(--available-height) min-w-48 origin-(--transform-origin) overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-pop outline-none transition-[opacity,scale] data-ending-style:scale-98 data-starting-style:scale-98 data-ending-style:opacity-0 data-starting-style:opacity-0">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** Items with a heading. */
export function MenuGroup({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <Base.Group>
      <Base.GroupLabel>{label}</Base.GroupLabel>
      {children}
    </Base.Group>
  );
}

export interface MenuItemProps {
  icon?: ReactNode;
  shortcut?: string;
  danger?: boolean;
  disabled?: boolean;
  /** Whether it leads to the screen that is open. */
  isCurrent?: boolean;
  onClick?: () => void;
  /** Makes the item a link: `<Link to=…/>` or `<a href=…/>`. */
  render?: ReactElement;
  children: ReactNode;
}

export function MenuItem({
  icon,
  shortcut,
  danger = false,
  disabled = false,
  isCurrent = false,
  onClick,
  render,
  children,
}: MenuItemProps) {
  return (
    <Base.Item
      disabled={disabled}
      {...(onClick && { onClick })}
      {...(render && { render })}
      className={classes(
        'flex w-full items-center gap-2.5 rounded-lg px-2 py-1.5 text-left text-sm outline-none data-disabled:opacity-45 max-md:py-2.5 [&_svg]:size-4 [&_svg]:shrink-0',
        isCurrent && 'bg-pressed font-medium',
        danger ? 'text-danger data-highlighted:bg-danger-soft' : 'data-highlighted:bg-hover [&_svg]:text-muted',
      )}
    >
      {icon}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {shortcut && <Kbd>{shortcut}</Kbd>}
    </Base.Item>
  );
}

export function MenuSeparator() {
  return <Base.Separator className="mx-2 my-1 h-px bg-line" />;
}
