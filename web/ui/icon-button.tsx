import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';
import { Tooltip } from './tooltip.tsx';
import { useHeldFocus } from './use-held-focus.ts';

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label' | 'children'> {
  /** The accessible name and tooltip. */
  label: string;
  icon: ReactNode;
  size?: 'sm' | 'md';
  shortcut?: string;
}

/** A disabled button keeps the focus until the focus moves on. */
export function IconButton({ label, icon, size = 'md', shortcut, className, ...rest }: IconButtonProps) {
  const held = useHeldFocus(rest);
  return (
    <Tooltip label={label} shortcut={shortcut}>
      <button
        type="button"
        {...rest}
        {...held}
        aria-label={label}
        className={classes(
          'inline-flex shrink-0 items-center justify-center rounded-lg text-muted transition-colors hover:bg-hover hover:text-text active:bg-pressed',
          'disabled:pointer-events-none disabled:opacity-40 aria-disabled:pointer-events-none aria-disabled:opacity-40 data-popup-open:bg-pressed data-popup-open:text-text',
          size === 'md' ? 'size-8 max-md:size-9 [&_svg]:size-4' : 'size-7 max-md:size-8 [&_svg]:size-3.5',
          className,
        )}
      >
        {icon}
      </button>
    </Tooltip>
  );
}
