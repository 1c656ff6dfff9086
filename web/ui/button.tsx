import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';
import { useHeldFocus } from './use-held-focus.ts';

export interface ButtonLook {
  variant?: 'primary' | 'secondary' | 'ghost' | 'danger';
  size?: 'sm' | 'md' | 'lg';
}

/** Returns a button's classes, for links that look like buttons. */
export function buttonClass({ variant = 'secondary', size = 'md' }: ButtonLook = {}): string {
  return classes(
    'inline-flex shrink-0 select-none items-center justify-center gap-1.5 whitespace-nowrap rounded-lg font-medium transition-colors',
    'disabled:pointer-events-none disabled:opacity-50 aria-disabled:pointer-events-none aria-disabled:opacity-50',
    '[&_svg]:size-4 [&_svg]:shrink-0',
    size === 'sm' && 'h-7 px-2.5 text-xs [&_svg]:size-3.5',
    size === 'md' && 'h-8 px-3 text-sm max-md:h-9',
    size === 'lg' && 'h-10 px-4 text-base',
    variant === 'primary' && 'bg-accent text-on-accent shadow-card hover:bg-accent-hover',
    variant === 'secondary' &&
      'border border-line-strong bg-raised text-text shadow-card hover:bg-hover active:bg-pressed',
    variant === 'ghost' && 'text-muted hover:bg-hover hover:text-text active:bg-pressed',
    variant === 'danger' && 'border border-danger/40 bg-danger-soft text-danger hover:border-danger',
  );
}

export interface ButtonProps extends ComponentProps<'button'>, ButtonLook {
  icon?: ReactNode;
  /** Shows a spinner and prevents a second click. The button keeps the focus. */
  busy?: boolean;
}

/** A disabled button keeps the focus until the focus moves on. */
export function Button({ variant, size, icon, busy = false, className, children, ...rest }: ButtonProps) {
  const held = useHeldFocus(rest, busy);
  return (
    <button
      type="button"
      {...rest}
      {...held}
      aria-busy={busy || undefined}
      className={classes(buttonClass({ ...(variant && { variant }), ...(size && { size }) }), className)}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  );
}

function Spinner() {
  return (
    <span aria-hidden className="size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent" />
  );
}
