import type { ComponentProps } from 'react';
import { classes } from './classes.ts';

/** The browser's own, in the app's colour. Wrap it in a label or give an `aria-label`. */
export function Checkbox({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  return (
    <input
      type="checkbox"
      {...rest}
      className={classes('size-4 shrink-0 accent-accent disabled:opacity-60', className)}
    />
  );
}
