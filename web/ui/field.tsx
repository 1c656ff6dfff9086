import { type ReactNode, useId } from 'react';
import { classes } from './classes.ts';

interface FieldParts {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

export interface FieldProps {
  label: string;
  /** Shows the label to screen readers only. */
  hideLabel?: boolean;
  hint?: ReactNode;
  error?: string | null | undefined;
  className?: string;
  /** Renders the control with the attributes that connect it to its label, hint and error. */
  children: (parts: FieldParts) => ReactNode;
}

export function Field({ label, hideLabel = false, hint, error, className, children }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  const hasNote = Boolean(error || hint);
  return (
    <div className={classes('flex min-w-0 flex-col gap-1.5', className)}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'font-medium text-sm [overflow-wrap:anywhere]'}>
        {label}
      </label>
      {children({ id, 'aria-describedby': hasNote ? noteId : undefined, 'aria-invalid': error ? true : undefined })}
      {hasNote && (
        <p
          id={noteId}
          className={classes('text-xs [overflow-wrap:anywhere]', error ? 'text-danger' : 'text-muted')}
          role={error ? 'alert' : undefined}
        >
          {error || hint}
        </p>
      )}
    </div>
  );
}

export const controlClass =
  'w-full min-w-0 rounded-lg border border-control bg-raised text-text outline-offset-0 transition-colors hover:border-faint aria-invalid:border-danger disabled:opacity-60 read-only:bg-sunken/60 max-md:text-[16px]';

/** The button of a select. */
export const selectClass =
  'inline-flex h-8 min-w-0 items-center gap-1.5 rounded-lg border border-control bg-raised px-2.5 text-sm shadow-card transition-colors hover:bg-hover data-disabled:opacity-60 max-md:h-9';
