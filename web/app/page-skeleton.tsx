import { Page } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

export function PageSkeleton() {
  return (
    <Page>
      <div role="status" aria-busy="true" aria-label="Loading" className="flex flex-col gap-4">
        <Skeleton className="h-7 w-48" />
        <Skeleton className="h-4 w-80 max-w-full" />
        <Skeleton className="mt-4 h-64 w-full" />
      </div>
    </Page>
  );
}
