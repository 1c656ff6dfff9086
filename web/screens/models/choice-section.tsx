import { PencilLine } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { useSettings } from '../../api/settings-queries.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorBanner } from '../../ui/error-banner.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

export interface ChoiceSectionProps {
  title: string;
  description: ReactNode;
  isFromFile: boolean;
  /** How the last request to the choice went. */
  badge?: ReactNode;
  children: ReactNode;
}

/** One choice of a model for the whole hub. */
export function ChoiceSection({ title, description, isFromFile, badge, children }: ChoiceSectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="rounded-card border border-line bg-surface px-4 py-3.5 shadow-card">
      <h2 id={id} className="flex flex-wrap items-center gap-2 font-semibold text-base">
        {title} {badge} {isFromFile && <FileBadge />}
      </h2>
      <p className="mt-0.5 text-pretty text-muted text-sm">{description}</p>
      {children}
    </section>
  );
}

/** Says that something comes from the config file, by its name. */
export function FileBadge() {
  const { data } = useSettings();
  return <Badge>From {data?.file?.name ?? 'zoo.toml'}</Badge>;
}

/** Stands for a choice that is not loaded yet, or could not be. */
export function MissingChoice({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return error ? (
    <div className="mt-3">
      <ErrorBanner title="The choice could not be loaded." error={error} onRetry={onRetry} />
    </div>
  ) : (
    <div role="status" aria-busy="true" aria-label="Loading the choice">
      <Skeleton className="mt-3 h-8 w-64" />
    </div>
  );
}

export interface FileChoiceProps {
  value: string | null;
  /** The accessible name of the button. */
  label: string;
  onChange: () => void;
  children: ReactNode;
}

/** A choice that is in the config file, with a button to change it there. */
export function FileChoice({ value, label, onChange, children }: FileChoiceProps) {
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2">
      {value === null ? (
        <span className="font-medium text-sm">Off</span>
      ) : (
        <code className="min-w-0 break-all font-mono text-xs">{value}</code>
      )}
      <Button size="sm" icon={<PencilLine aria-hidden />} aria-label={label} onClick={onChange}>
        Change
      </Button>
      {children}
    </div>
  );
}
