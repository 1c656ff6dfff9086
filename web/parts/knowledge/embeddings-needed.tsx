import { Sparkles } from 'lucide-react';
import type { ReactNode } from 'react';
import { CodeText } from '../../ui/code-text.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';

const snippet = '[embedding]\nprovider = "local"\n';

export interface EmbeddingsNeededProps {
  /** The hub's error message. */
  message: string;
  configFile: string | null;
  /** Buttons for the next step. */
  actions?: ReactNode;
}

/** Explains how to set up search by meaning. */
export function EmbeddingsNeeded({ message, configFile, actions }: EmbeddingsNeededProps) {
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
          <p className="mt-0.5 text-pretty break-words text-muted text-sm">{message}</p>
        </div>
      </div>
      <figure className="overflow-hidden rounded-xl border border-line bg-sunken/60">
        <figcaption className="flex items-center gap-2 border-line border-b bg-surface py-1 pr-1.5 pl-3 text-xs">
          <span className="min-w-0 flex-1 truncate font-mono text-2xs text-faint">{configFile ?? 'zoo.toml'}</span>
          <CopyButton size="sm" variant="ghost" label="Copy" text={snippet} />
        </figcaption>
        <CodeText text={snippet} />
      </figure>
      <p className="text-faint text-xs">
        “local” runs the model on this machine. Save the file, then embed your documents. Keyword search works without
        this.
      </p>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </section>
  );
}
