import { Fragment, type ReactNode } from 'react';
import { LongList } from '../../ui/long-list.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import type { Place } from '../../ui/virtual-list.tsx';

export interface SectionProps {
  id: string;
  title: string;
  about: string;
  actions: ReactNode;
  children: ReactNode;
}

export function Section({ id, title, about, actions, children }: SectionProps) {
  return (
    <section aria-labelledby={id}>
      <header className="mb-3 flex flex-wrap items-end justify-between gap-x-4 gap-y-2.5">
        <div className="min-w-0 flex-1 basis-72">
          <h2 id={id} className="font-semibold text-base">
            {title}
          </h2>
          <p className="text-pretty text-muted text-sm">{about}</p>
        </div>
        <div className="flex flex-wrap gap-2">{actions}</div>
      </header>
      {children}
    </section>
  );
}

export interface AccessListProps<Item> {
  label: string;
  empty: ReactNode;
  items: readonly Item[];
  children: (item: Item, place: Place) => ReactNode;
}

export function AccessList<Item extends { id: string }>({ label, empty, items, children }: AccessListProps<Item>) {
  if (items.length === 0) {
    return (
      <div className="rounded-card border border-line border-dashed px-4 py-8 text-center text-muted text-sm">
        {empty}
      </div>
    );
  }
  return (
    <LongList
      label={label}
      items={items}
      keyOf={({ id }) => id}
      estimateSize={65}
      className="divide-y divide-line overflow-hidden rounded-card border border-line bg-surface shadow-card"
      hasOwnItems
    >
      {(item, _, place) => children(item, place)}
    </LongList>
  );
}

export interface AccessRowProps {
  place: Place;
  icon: ReactNode;
  name: string;
  badges?: ReactNode;
  facts: readonly ReactNode[];
  action?: ReactNode;
}

export function AccessRow({ place, icon, name, badges, facts, action }: AccessRowProps) {
  return (
    <li {...place} tabIndex={-1} className="flex items-center gap-3 px-4 py-3 outline-offset-[-2px]">
      <span className="flex size-8 shrink-0 items-center justify-center rounded-lg bg-hover text-muted [&_svg]:size-4">
        {icon}
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium text-sm">
          <span className="min-w-0 break-words">{name}</span>
          {badges}
        </p>
        <p className="mt-0.5 flex flex-wrap gap-x-2 text-muted text-xs">
          {facts.map((fact, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the facts of a row keep their places.
            <Fragment key={index}>
              {index > 0 && <span aria-hidden>·</span>}
              {fact}
            </Fragment>
          ))}
        </p>
      </div>
      {action}
    </li>
  );
}

export function LoadingRows({ label }: { label: string }) {
  return (
    <div role="status" aria-busy="true" aria-label={label} className="rounded-card border border-line bg-surface">
      {['a', 'b'].map((key) => (
        <div key={key} className="flex items-center gap-3 px-4 py-3">
          <Skeleton className="size-8 rounded-lg" />
          <Skeleton className="h-4 w-40" />
          <Skeleton className="ml-auto h-4 w-24 max-sm:hidden" />
        </div>
      ))}
    </div>
  );
}
