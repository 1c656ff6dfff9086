import { Link } from '@tanstack/react-router';
import { Sparkles } from 'lucide-react';
import type { ReactNode } from 'react';
import { buttonClass } from '../../ui/button.tsx';

/** Says how to set up search by meaning. `children` are buttons for another way on. */
export function EmbeddingsNeeded({ children }: { children?: ReactNode }) {
  return (
    <section
      role="alert"
      aria-label="Search by meaning is not set up"
      className="mx-auto flex max-w-xl flex-col gap-3 rounded-card border border-line bg-surface p-5 shadow-card"
    >
      <div className="flex items-start gap-3">
        <span className="flex size-9 shrink-0 items-center justify-center rounded-full bg-violet-soft text-violet">
          <Sparkles aria-hidden className="size-4.5" />
        </span>
        <div className="min-w-0">
          <h2 className="font-semibold text-base">Search by meaning is not set up</h2>
          <p className="mt-0.5 text-pretty break-words text-muted text-sm">
            It needs an embedding model, on this machine or from a provider. Your documents are then embedded
            automatically. Keyword search works without one.
          </p>
        </div>
      </div>
      <div className="flex flex-wrap gap-2">
        <Link to="/models" className={buttonClass({ variant: 'primary' })}>
          Choose under Models
        </Link>
        {children}
      </div>
    </section>
  );
}
