import { classes } from './classes.ts';

/** A placeholder shape. Put the group into an element with `aria-busy`. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={classes('block animate-pulse rounded-md bg-pressed', className)} />;
}
