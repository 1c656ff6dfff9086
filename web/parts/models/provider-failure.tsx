import { CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import { Banner } from '../../ui/banner.tsx';

export interface ProviderFailureProps {
  message: string;
  advice?: string | undefined;
  /** Buttons for the next step. */
  actions?: ReactNode;
}

/** Says why a provider did not answer, and what to do. */
export function ProviderFailure({ message, advice, actions }: ProviderFailureProps) {
  return (
    <Banner tone="danger" icon={<CircleX />} actions={actions}>
      <p role="alert" className="[overflow-wrap:anywhere]">
        {message}
      </p>
      {advice && <p className="mt-0.5 text-muted text-xs">{advice}</p>}
    </Banner>
  );
}
