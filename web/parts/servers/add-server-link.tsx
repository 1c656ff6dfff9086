import { Link } from '@tanstack/react-router';
import { ServerCog } from 'lucide-react';
import { buttonClass } from '../../ui/button.tsx';

/** Leads to the catalogue of servers. */
export function AddServerLink() {
  return (
    <Link to="/servers" search={{ add: 'catalogue' }} className={buttonClass({ variant: 'primary' })}>
      <ServerCog aria-hidden />
      Add server
    </Link>
  );
}
