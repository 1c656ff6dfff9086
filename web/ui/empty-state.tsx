import type { ReactNode } from 'react';

export interface EmptyStateProps {
  /** A picture; decoration only. */
  art?: ReactNode;
  title: string;
  /** The level of the title: 1 when it is the only heading of the screen. */
  level?: 1 | 2;
  children?: ReactNode;
  /** Buttons that lead on. */
  actions?: ReactNode;
}

export function EmptyState({ art, title, level = 2, children, actions }: EmptyStateProps) {
  const Heading = level === 1 ? 'h1' : 'h2';
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-4 py-14 text-center">
      {art && (
        <div aria-hidden className="mb-5 text-faint">
          {art}
        </div>
      )}
      <Heading className="font-semibold text-lg">{title}</Heading>
      {children && <div className="mt-1.5 text-pretty text-muted">{children}</div>}
      {actions && <div className="mt-5 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
