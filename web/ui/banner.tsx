import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export interface BannerProps {
  tone: 'info' | 'warn' | 'danger';
  icon: ReactNode;
  children: ReactNode;
  /** Buttons for the next step. */
  actions?: ReactNode;
  role?: 'status' | 'alert';
}

/** A notice about the whole screen; it stays until its cause is gone. */
export function Banner({ tone, icon, children, actions, role = 'status' }: BannerProps) {
  return (
    <div
      role={role}
      className={classes(
        'flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl px-3.5 py-2.5 text-sm',
        tone === 'info' && 'bg-info-soft text-info',
        tone === 'warn' && 'bg-warn-soft text-warn',
        tone === 'danger' && 'bg-danger-soft text-danger',
      )}
    >
      <div className="flex min-w-0 flex-1 basis-56 gap-3">
        <span aria-hidden className="flex h-lh shrink-0 items-center [&_svg]:size-4">
          {icon}
        </span>
        <div className="min-w-0 flex-1 text-pretty break-words">{children}</div>
      </div>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  );
}
