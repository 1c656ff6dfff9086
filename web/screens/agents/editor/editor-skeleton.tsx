import { Skeleton } from '../../../ui/skeleton.tsx';

export function EditorSkeleton() {
  return (
    <div
      role="status"
      aria-busy="true"
      aria-label="Loading the agent"
      className="mx-auto flex w-full max-w-[112rem] flex-col gap-4 px-4 pt-4 sm:px-6"
    >
      <div className="flex items-center gap-3">
        <Skeleton className="size-10 rounded-xl" />
        <Skeleton className="h-7 w-56" />
        <Skeleton className="ml-auto h-8 w-20" />
      </div>
      <Skeleton className="h-4 w-2/5" />
      <div className="mt-3 flex gap-6">
        <Skeleton className="h-[60dvh] flex-1 rounded-card" />
        <Skeleton className="h-[60dvh] w-2/5 rounded-card max-lg:hidden" />
      </div>
    </div>
  );
}
