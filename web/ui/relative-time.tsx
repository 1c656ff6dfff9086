import { useEffect, useState } from 'react';
import { relativeTime } from './relative-time.ts';

/** "5 min ago", with the exact moment on hover; keeps itself true. */
export function RelativeTime({ at, className }: { at: string; className?: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()} {...(className && { className })}>
      {relativeTime(at, Math.max(now, Date.parse(at)))}
    </time>
  );
}
