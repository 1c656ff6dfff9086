import { useEffect, useState } from 'react';
import { useLiveState } from '../api/live.ts';

const patience = 2_500;

/** Says so when the hub is gone for longer than a restart takes. */
export function ConnectionBanner() {
  const live = useLiveState();
  const [isGone, setIsGone] = useState(false);
  useEffect(() => {
    if (live !== 'lost') {
      setIsGone(false);
      return;
    }
    const timer = setTimeout(() => setIsGone(true), patience);
    return () => clearTimeout(timer);
  }, [live]);
  return (
    <div role="status">
      {isGone && (
        <p className="border-warn/35 border-b bg-warn-soft px-4 py-2 text-center text-sm text-warn">
          The hub does not answer. This page connects again by itself.
        </p>
      )}
    </div>
  );
}
