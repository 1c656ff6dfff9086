import type { ReactNode } from 'react';
import type { TestResult } from '../../../src/settings/app-settings.ts';
import { errorText } from '../../ui/error-state.tsx';
import type { Place } from '../../ui/virtual-list.tsx';

export interface EntryCardProps {
  place: Place;
  name: string;
  url: string;
  badges: ReactNode;
  /** The last event. */
  note?: ReactNode;
  actions: ReactNode;
  children?: ReactNode;
}

/** A webhook or a peer. */
export function EntryCard({ place, name, url, badges, note, actions, children }: EntryCardProps) {
  return (
    <li
      aria-label={name}
      {...place}
      tabIndex={-1}
      className="flex flex-col gap-2 rounded-card border border-line bg-surface p-4 shadow-card"
    >
      <div className="flex gap-x-4 gap-y-3 max-lg:flex-col lg:items-start">
        <div className="flex min-w-0 flex-1 flex-col gap-2">
          <div>
            <h3 className="font-medium text-sm">{name}</h3>
            <p className="font-mono text-muted text-xs [overflow-wrap:anywhere]">{url}</p>
          </div>
          <div className="flex flex-wrap gap-1.5">{badges}</div>
          {note}
        </div>
        {actions}
      </div>
      {children}
    </li>
  );
}

export function EntryActions({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap gap-2">{children}</div>;
}

interface Test {
  data: TestResult | undefined;
  error: unknown;
  isPending: boolean;
}

/** The outcome of the last test; nothing before the first one. */
export function TestOutcome({ test: { data, error, isPending } }: { test: Test }) {
  if (isPending || (!data && !error)) return null;
  const isOk = data?.isOk ?? false;
  return (
    <p
      role="status"
      className={`rounded-lg px-3 py-2 text-sm [overflow-wrap:anywhere] ${isOk ? 'bg-accent-soft text-accent-text' : 'bg-danger-soft text-danger'}`}
    >
      {data ? data.message : errorText(error)}
      {data && ` · ${data.milliseconds} ms`}
    </p>
  );
}
