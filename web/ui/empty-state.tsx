import type { ReactNode } from 'react';

export interface EmptyStateProps {
  /** A decorative picture. */
  art?: ReactNode;
  title: string;
  /** The heading level; 1 if it is the screen's only heading. */
  level?: 1 | 2;
  children?: ReactNode;
  /** Buttons for the next step. */
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
