import { Hand, Unplug } from 'lucide-react';
import type { ChatState } from './chat-state.ts';

/** What a chat does while one looks elsewhere; nothing for one that is quiet. */
export function StateMark({ state }: { state: ChatState }) {
  switch (state) {
    case 'idle':
      return null;
    case 'answering':
      return (
        <span className="inline-flex shrink-0" title="It answers" data-state="answering">
          <span aria-hidden className="size-3 animate-spin rounded-full border-2 border-info border-r-transparent" />
          <span className="sr-only">, answering</span>
        </span>
      );
    case 'waiting':
      return (
        <span className="inline-flex shrink-0 text-violet" title="A call needs your approval" data-state="waiting">
          <Hand aria-hidden className="size-3.5" />
          <span className="sr-only">, waits for approval</span>
        </span>
      );
    case 'interrupted':
      return (
        <span className="inline-flex shrink-0 text-warn" title="Its answer was interrupted" data-state="interrupted">
          <Unplug aria-hidden className="size-3.5" />
          <span className="sr-only">, interrupted</span>
        </span>
      );
  }
}
