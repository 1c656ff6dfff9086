import { useLayoutEffect, useRef } from 'react';
import { ConnectionBanner } from './connection-banner.tsx';
import { CriticalBanner } from './critical-banner.tsx';

/** What every screen has above it on a bad day. Screens as high as the window leave room for it: `--notices` is its height. */
export function Notices() {
  const notices = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = notices.current;
    if (!element) return;
    const observer = new ResizeObserver(() =>
      document.documentElement.style.setProperty('--notices', `${element.offsetHeight}px`),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={notices}>
      <ConnectionBanner />
      <CriticalBanner />
    </div>
  );
}
