import { ArrowRight, Check, NotebookPen, Settings2, X } from 'lucide-react';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';
import { type DecisionKind, decisionKindNames } from './kind-names.ts';

const looks: Record<DecisionKind, { tone: BadgeTone; icon: typeof X }> = {
  invocation: { tone: 'info', icon: ArrowRight },
  result: { tone: 'accent', icon: Check },
  error: { tone: 'danger', icon: X },
  manual: { tone: 'violet', icon: NotebookPen },
  act: { tone: 'warn', icon: Settings2 },
};

export function KindBadge({ kind }: { kind: DecisionKind }) {
  const { tone, icon: Icon } = looks[kind];
  return (
    <Badge tone={tone} icon={<Icon aria-hidden strokeWidth={2.5} />}>
      {decisionKindNames[kind]}
    </Badge>
  );
}
