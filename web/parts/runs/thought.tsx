import { Lightbulb } from 'lucide-react';
import { Folding } from '../../ui/folding.tsx';

/** The model's reasoning before its answer, collapsed. */
export function Thought({ text, isOngoing = false }: { text: string; isOngoing?: boolean }) {
  return (
    <Folding
      summary={
        <>
          <Lightbulb aria-hidden className="size-3.5 text-faint" />
          <span className="text-muted text-xs">{isOngoing ? 'Reasoning…' : 'Reasoning'}</span>
        </>
      }
    >
      <p className="whitespace-pre-wrap text-muted text-sm [overflow-wrap:anywhere]">{text}</p>
    </Folding>
  );
}
