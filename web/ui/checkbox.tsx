import type { ComponentProps } from 'react';
import { classes } from './classes.ts';

/** A native checkbox in the accent color. Wrap it in a label or pass `aria-label`. */
export function Checkbox({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  return (
    <input
      type="checkbox"
      {...rest}
      className={classes('size-4 shrink-0 accent-accent disabled:opacity-60', className)}
    />
  );
}
