import { Check, CheckCheck, Globe, InfinityIcon, X } from 'lucide-react';
import type { ApprovalAnswer } from '../../../src/engine/run-events.ts';
import { Button } from '../../ui/button.tsx';
import { Kbd } from '../../ui/kbd.tsx';

interface ApprovalButtonsProps {
  tool: string;
  /** What the chat has read from outside, if that is why it asks. */
  outside: readonly string[] | undefined;
  /** The decision is being sent. */
  isBusy: boolean;
  /** The number keys decide this call because it is the first one waiting. */
  hasKeys: boolean;
  onAnswer: (answer: ApprovalAnswer) => void;
}

/** Asks the user whether the tool may be called. */
export function ApprovalButtons({ tool, outside, isBusy, hasKeys, onAnswer }: ApprovalButtonsProps) {
  return (
    <fieldset
      data-approval
      disabled={isBusy}
      aria-label={`Allow ${tool}?`}
      className="flex flex-wrap items-center gap-2"
    >
      {outside && (
        <p className="flex min-w-0 basis-full items-start gap-1.5 text-pretty text-sm text-warn [overflow-wrap:anywhere]">
          <Globe aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span>
            This chat has read text from outside: {outside.join('; ')}. Allow the call only if it is what you asked for.
          </span>
        </p>
      )}
      <Button variant="primary" icon={<Check aria-hidden />} onClick={() => onAnswer('approve')}>
        Allow once
        {hasKeys && <Key inverted>1</Key>}
      </Button>
      <Button icon={<CheckCheck aria-hidden />} onClick={() => onAnswer('chat')}>
        Allow in this chat
        {hasKeys && <Key>2</Key>}
      </Button>
      <Button variant="danger" icon={<X aria-hidden />} onClick={() => onAnswer('deny')}>
        Deny
        {hasKeys && <Key>3</Key>}
      </Button>
      <Button icon={<InfinityIcon aria-hidden />} onClick={() => onAnswer('always')}>
        Always allow
        {hasKeys && <Key>4</Key>}
      </Button>
      <p className="min-w-0 basis-full text-pretty text-faint text-xs">
        “Always allow” applies to this agent and tool until the tool changes. You can revoke it on the agent’s Tools
        tab.
      </p>
    </fieldset>
  );
}

function Key({ children, inverted = false }: { children: string; inverted?: boolean }) {
  return (
    <span aria-hidden className="empty:hidden max-md:hidden">
      <Kbd inverted={inverted}>{children}</Kbd>
    </span>
  );
}
