import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorState } from '../ui/error-state.tsx';

/** A screen threw: the rest of the app goes on. */
export function CrashScreen({ error, reset }: ErrorComponentProps) {
  return <ErrorState title="This screen has a problem" error={error} onRetry={reset} />;
}
