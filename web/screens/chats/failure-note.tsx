import { Link } from '@tanstack/react-router';
import { BrainCircuit, CircleX } from 'lucide-react';
import { Banner } from '../../ui/banner.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { errorHelp } from './error-help.ts';

export interface FailureNoteProps {
  /** The outcome, such as "Not sent". */
  what: string;
  failure: { code: string; message: string };
}

/** Explains why the hub rejected a request, next to where the user can retry it. */
export function FailureNote({ what, failure }: FailureNoteProps) {
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
        {what}: {failure.message}
      </p>
      <p className="mt-0.5 text-muted text-xs">{advice}</p>
    </Banner>
  );
}
