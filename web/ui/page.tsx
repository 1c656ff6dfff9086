import type { ReactNode } from 'react';
import { classes } from './classes.ts';

/** A screen with the standard margins. */
export function Page({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <div className={classes('mx-auto w-full max-w-6xl px-4 pt-5 pb-16 sm:px-6 lg:px-8 lg:pt-8', className)}>
      {children}
    </div>
  );
}

export interface PageHeaderProps {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
}

export function PageHeader({ title, description, actions }: PageHeaderProps) {
  return (
    <header className="mb-5 grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 lg:items-start">
      <h1 className="font-semibold text-2xl leading-9">{title}</h1>
      {actions && <div className="flex items-center justify-end gap-2 lg:row-span-2">{actions}</div>}
      {description && <p className="col-start-1 text-pretty text-muted max-lg:col-span-2">{description}</p>}
    </header>
  );
}
