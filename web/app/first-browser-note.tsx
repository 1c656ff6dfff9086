import { Link } from '@tanstack/react-router';
import { dayMs } from '../../src/base/clock.ts';
import { useSessions } from '../api/access-queries.ts';

/** Says on the first day that this browser has claimed the new installation. */
export function FirstBrowserNote() {
  const { data } = useSessions({ isLive: false });
  const current = data?.find(({ isCurrent }) => isCurrent);
  if (!current?.isFirst || Date.now() - Date.parse(current.createdAt) > dayMs) return null;
  return (
    <p className="mx-0.5 mb-1 rounded-lg bg-accent-soft px-2 py-1.5 text-2xs text-accent-text leading-4">
      New installation: this browser owns it.{' '}
      <Link to="/access" className="rounded underline underline-offset-2 hover:no-underline">
        Not you?
      </Link>
    </p>
  );
}
