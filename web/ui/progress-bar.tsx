import { classes } from './classes.ts';

export interface ProgressBarProps {
  /** The accessible name. */
  label: string;
  /** 0 to 1, or null if unknown. */
  value: number | null;
  /** Read out instead of the percentage. */
  text?: string;
}

export function ProgressBar({ label, value, text }: ProgressBarProps) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(value !== null && { 'aria-valuenow': Math.round(value * 100) })}
      {...(text && { 'aria-valuetext': text })}
      className="h-1.5 overflow-hidden rounded-full bg-pressed"
    >
      <div
        className={classes(
          'h-full rounded-full bg-accent transition-[width] duration-300',
          value === null && 'w-1/3 animate-pulse',
        )}
        style={value === null ? undefined : { width: `${Math.max(2, value * 100)}%` }}
      />
    </div>
  );
}
