import { RotateCw, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Folding } from './folding.tsx';

export interface ErrorStateProps {
  title: string;
  error: unknown;
  /** The heading level; 1 if it replaces the whole screen. */
  level?: 1 | 2;
  onRetry?: () => void;
  /** Reloads the page, if that may help. */
  onReload?: () => void;
  /** Stands in for the message of an error in the app itself, which is then folded away. */
  explanation?: string;
  /** The way back, where the error replaces the whole screen. */
  back?: ReactNode;
}

export function ErrorState({ title, error, level = 2, onRetry, onReload, explanation, back }: ErrorStateProps) {
  const Heading = level === 1 ? 'h1' : 'h2';
  return (
    <div role="alert" className="mx-auto flex max-w-md flex-col items-center px-4 py-14 text-center">
      <span className="mb-4 flex size-11 items-center justify-center rounded-full bg-danger-soft text-danger">
        <TriangleAlert aria-hidden className="size-5" />
      </span>
      <Heading className="font-semibold text-lg">{title}</Heading>
      <p className="mt-1.5 text-pretty break-words text-muted">{explanation ?? errorText(error)}</p>
      {(onRetry || onReload || back) && (
        <div className="mt-5 flex flex-wrap justify-center gap-2">
          {onReload && <Button onClick={onReload}>Reload</Button>}
          {onRetry && (
            <Button icon={<RotateCw aria-hidden />} onClick={onRetry}>
              Try again
            </Button>
          )}
          {back}
        </div>
      )}
      {explanation && (
        <div className="mt-6 max-w-full">
          <Folding summary="Details">
            <p className="break-words font-mono text-xs">{errorText(error)}</p>
          </Folding>
        </div>
      )}
    </div>
  );
}

/** Returns a readable message for anything thrown. */
export function errorText(error: unknown): string {
  if (error instanceof Error && error.message) return error.message;
  return 'Something went wrong. Try again.';
}
