import { useEffect, useState } from 'react';
import { shortDuration } from './short-duration.ts';

/** "3 h": how long something has been as it is; keeps itself true. */
export function TimeInState({ since, className }: { since: string; className?: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={since} title={`Since ${new Date(since).toLocaleString()}`} {...(className && { className })}>
      {shortDuration(Math.max(now, Date.parse(since)) - Date.parse(since))}
    </time>
  );
}
