import { useQueryClient } from '@tanstack/react-query';
import { DatabaseZap } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useStatus } from '../api/queries.ts';

/** Says on every screen why the hub cannot work, until it can again. */
export function CriticalBanner() {
  const { data } = useStatus();
  const critical = (data?.problems ?? []).filter(({ isCritical }) => isCritical);
  useFreshStart(critical.length > 0);
  return critical.map(({ message }) => (
    <div
      key={message}
      role="alert"
      className="flex items-start gap-2.5 border-danger/35 border-b bg-danger-soft px-4 py-2.5 text-danger text-sm md:px-6"
    >
      <DatabaseZap aria-hidden className="mt-0.5 size-4 shrink-0" />
      <p className="min-w-0 [overflow-wrap:anywhere]">{message}</p>
    </div>
  ));
}

/** Loads everything again once the hub can work: screens may show what failed meanwhile. */
function useFreshStart(isStuck: boolean): void {
  const client = useQueryClient();
  const wasStuck = useRef(false);
  useEffect(() => {
    if (wasStuck.current && !isStuck) void client.invalidateQueries();
    wasStuck.current = isStuck;
  }, [client, isStuck]);
}
