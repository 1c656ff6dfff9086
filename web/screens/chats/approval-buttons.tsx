import { Check, CheckCheck, X } from 'lucide-react';
import type { ApprovalAnswer } from '../../../src/engine/run-events.ts';
import { Button } from '../../ui/button.tsx';
import { Kbd } from '../../ui/kbd.tsx';

export interface ApprovalButtonsProps {
  tool: string;
  /** An answer is on its way. */
  isBusy: boolean;
  /** The keys work for this call: it is the first that waits. */
  hasKeys: boolean;
  onAnswer: (answer: ApprovalAnswer) => void;
}

/** A person decides whether a tool is called. */
export function ApprovalButtons({ tool, isBusy, hasKeys, onAnswer }: ApprovalButtonsProps) {
  return (
    <fieldset
      data-approval
      disabled={isBusy}
      aria-label={`May ${tool} be called?`}
      className="flex flex-wrap items-center gap-2 px-1.5 pt-1 pb-1"
    >
      <Button variant="primary" icon={<Check aria-hidden />} onClick={() => onAnswer('approve')}>
        Once
        {hasKeys && <Key inverted>1</Key>}
      </Button>
      <Button icon={<CheckCheck aria-hidden />} onClick={() => onAnswer('always')}>
        This chat
        {hasKeys && <Key>2</Key>}
      </Button>
      <Button variant="danger" icon={<X aria-hidden />} onClick={() => onAnswer('deny')}>
        Deny
        {hasKeys && <Key>3</Key>}
      </Button>
      <p className="min-w-0 basis-full text-pretty text-faint text-xs">
        “This chat” also approves its later calls of <span className="font-mono">{tool}</span> here.
      </p>
    </fieldset>
  );
}

function Key({ children, inverted = false }: { children: string; inverted?: boolean }) {
  return (
    <span aria-hidden className="max-md:hidden">
      <Kbd inverted={inverted}>{children}</Kbd>
    </span>
  );
}
