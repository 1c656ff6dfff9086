import { Badge, type BadgeTone } from '../../ui/badge.tsx';
import { type ToolStatus, toolStatusNames } from './describe-server.ts';

const tones: Record<ToolStatus, BadgeTone> = {
  active: 'accent',
  changed: 'warn',
  new: 'warn',
  conflict: 'danger',
  unusable: 'danger',
  off: 'neutral',
  filtered: 'neutral',
  gone: 'neutral',
};

export function StatusBadge({ status }: { status: ToolStatus }) {
  return <Badge tone={tones[status]}>{toolStatusNames[status]}</Badge>;
}
