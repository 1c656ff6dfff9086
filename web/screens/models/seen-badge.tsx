import { CircleAlert, CircleCheck, CircleDashed, CircleDot, CircleX } from 'lucide-react';
import type { EmbeddingsSeen } from '../../../src/models/embeddings/embedding-settings.ts';
import type { SeenState } from '../../../src/models/language-models.ts';
import { Badge } from '../../ui/badge.tsx';

interface SeenBadgeProps {
  isReady?: boolean;
  seen: SeenState | EmbeddingsSeen;
}

/** Shows how the last request went, not whether there is a key. */
export function SeenBadge({ isReady = true, seen }: SeenBadgeProps) {
  if (!isReady) return <Badge icon={<CircleAlert aria-hidden />}>Not set up</Badge>;
  switch (seen.state) {
    case 'never':
      return <Badge icon={<CircleDashed aria-hidden />}>Not tested</Badge>;
    case 'reached':
      return (
        <Badge tone="info" icon={<CircleDot aria-hidden />} title="Models listed; none tested yet">
          Reachable
        </Badge>
      );
    case 'worked':
      return (
        <Badge tone="accent" icon={<CircleCheck aria-hidden />}>
          Works
        </Badge>
      );
    case 'failed':
      return (
        <Badge tone="danger" icon={<CircleX aria-hidden />}>
          Failed
        </Badge>
      );
  }
}
