import { Hand, Unplug } from 'lucide-react';
import type { ChatState } from './chat-state.ts';

/** Marks a chat that is answering, waiting or interrupted. Idle chats have no mark. */
export function StateMark({ state }: { state: ChatState }) {
  switch (state) {
    case 'idle':
      return null;
    case 'answering':
      return (
        <span className="inline-flex shrink-0" title="Answering" data-state="answering">
          <span aria-hidden className="size-3 animate-spin rounded-full border-2 border-info border-r-transparent" />
          <span className="sr-only">, answering</span>
        </span>
      );
    case 'waiting':
      return (
        <span className="inline-flex shrink-0 text-violet" title="A call needs your approval" data-state="waiting">
          <Hand aria-hidden className="size-3.5" />
          <span className="sr-only">, waiting for approval</span>
        </span>
      );
    case 'interrupted':
      return (
        <span className="inline-flex shrink-0 text-warn" title="Answer interrupted" data-state="interrupted">
          <Unplug aria-hidden className="size-3.5" />
          <span className="sr-only">, interrupted</span>
        </span>
      );
  }
}
