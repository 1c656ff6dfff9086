import { Ban, CircleCheck, CircleX, Coins, Repeat, Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';
import { type RunState, stateNames, stateSentences } from './run-words.ts';

const looks: Record<RunState, { tone: BadgeTone; icon: ReactNode }> = {
  running: {
    tone: 'info',
    icon: (
      <span aria-hidden className="size-2.5 animate-spin rounded-full border-2 border-current border-r-transparent" />
    ),
  },
  completed: { tone: 'accent', icon: <CircleCheck aria-hidden /> },
  interrupted: { tone: 'warn', icon: <Unplug aria-hidden /> },
  failed: { tone: 'danger', icon: <CircleX aria-hidden /> },
  budget: { tone: 'violet', icon: <Coins aria-hidden /> },
  aborted: { tone: 'neutral', icon: <Ban aria-hidden /> },
  'max-ticks': { tone: 'violet', icon: <Repeat aria-hidden /> },
};

export function RunStateBadge({ state }: { state: RunState }) {
  const { tone, icon } = looks[state];
  return (
    <Badge tone={tone} icon={icon} title={stateSentences[state]}>
      {stateNames[state]}
    </Badge>
  );
}
