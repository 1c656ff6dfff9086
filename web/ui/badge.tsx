import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export type BadgeTone = 'neutral' | 'accent' | 'warn' | 'danger' | 'info' | 'violet';

const tones: Record<BadgeTone, string> = {
  neutral: 'bg-hover text-muted',
  accent: 'bg-accent-soft text-accent-text',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
  info: 'bg-info-soft text-info',
  violet: 'bg-violet-soft text-violet',
};

export interface BadgeProps {
  tone?: BadgeTone;
  icon?: ReactNode;
  title?: string;
  children: ReactNode;
}

export function Badge({ tone = 'neutral', icon, title, children }: BadgeProps) {
  return (
    <span
      {...(title && { title })}
      className={classes(
        'inline-flex h-5 shrink-0 items-center gap-1 whitespace-nowrap rounded-md px-1.5 font-medium text-2xs [&_svg]:size-3',
        tones[tone],
      )}
    >
      {icon}
      {children}
    </span>
  );
}
