import { Link } from '@tanstack/react-router';
import { BrainCircuit, CircleX } from 'lucide-react';
import { Banner } from '../ui/banner.tsx';
import { buttonClass } from '../ui/button.tsx';
import { errorHelp } from './error-help.ts';

/** A message that the hub did not take, above where it still stands. */
export function FailureNote({ failure }: { failure: { code: string; message: string } }) {
  const { advice, leadsTo } = errorHelp(failure.code);
  return (
    <Banner
      tone="danger"
      icon={<CircleX />}
      actions={
        leadsTo === 'models' && (
          <Link to="/models" className={buttonClass({ size: 'sm' })}>
            <BrainCircuit aria-hidden />
            Models
          </Link>
        )
      }
    >
      <p role="alert" className="[overflow-wrap:anywhere]">
        Not sent: {failure.message}
      </p>
      <p className="mt-0.5 text-muted text-xs">{advice}</p>
    </Banner>
  );
}
