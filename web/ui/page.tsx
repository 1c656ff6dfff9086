import type { ReactNode } from 'react';
import { classes } from './classes.ts';

/** The margins of a screen. */
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
    <header className="mb-5 flex flex-wrap items-start gap-x-4 gap-y-3">
      <div className="min-w-0 flex-1 basis-64">
        <h1 className="font-semibold text-2xl leading-8">{title}</h1>
        {description && <p className="mt-0.5 text-pretty text-muted">{description}</p>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}
