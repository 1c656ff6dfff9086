import type { ReactNode } from 'react';

export interface EmptyStateProps {
  /** A picture; decoration only. */
  art?: ReactNode;
  title: string;
  children?: ReactNode;
  /** Buttons that lead on. */
  actions?: ReactNode;
}

export function EmptyState({ art, title, children, actions }: EmptyStateProps) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-4 py-14 text-center">
      {art && (
        <div aria-hidden className="mb-5 text-faint">
          {art}
        </div>
      )}
      <h2 className="font-semibold text-lg">{title}</h2>
      {children && <div className="mt-1.5 text-pretty text-muted">{children}</div>}
      {actions && <div className="mt-5 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
