import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { errorText } from './error-state.tsx';

export interface NextPageProps {
  /** Why the next page could not be loaded; null if nothing has failed. */
  error: unknown;
  isLoading: boolean;
  onMore: () => void;
  className?: string;
}

/** The end of a list that loads more by itself: loads it on request, also after a failure, which it shows. */
export function NextPage({ error, isLoading, onMore, className }: NextPageProps) {
  return (
    <div className={classes('flex min-h-8 flex-wrap items-center justify-center gap-2 text-center text-xs', className)}>
      {error ? (
        <span role="alert" className="text-danger">
          {errorText(error)}
        </span>
      ) : null}
      <Button size="sm" variant="ghost" busy={isLoading} onClick={onMore}>
        {error ? 'Try again' : 'Load more'}
      </Button>
    </div>
  );
}
