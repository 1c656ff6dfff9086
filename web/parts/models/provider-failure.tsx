import { CircleX } from 'lucide-react';
import { Banner } from '../../ui/banner.tsx';

/** Says why a provider did not answer, and what to do. */
export function ProviderFailure({ message, advice }: { message: string; advice?: string | undefined }) {
  return (
    <Banner tone="danger" icon={<CircleX />}>
      <p role="alert" className="[overflow-wrap:anywhere]">
        {message}
      </p>
      {advice && <p className="mt-0.5 text-muted text-xs">{advice}</p>}
    </Banner>
  );
}
