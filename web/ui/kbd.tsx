import { classes } from './classes.ts';

/** Whether shortcuts use ⌘ instead of Ctrl. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function Kbd({ children, inverted = false }: { children: string; inverted?: boolean }) {
  return (
    <kbd
      className={classes(
        'inline-flex h-[1.125rem] min-w-[1.125rem] items-center justify-center rounded px-1 font-mono text-2xs',
        inverted ? 'border border-current/45' : 'border border-line bg-sunken text-muted',
      )}
    >
      {children}
    </kbd>
  );
}
