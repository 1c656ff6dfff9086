import { Link } from '@tanstack/react-router';
import { BrainCircuit, CircleX, Coins, RotateCcw, ServerCog, Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Answer } from '../../../src/chats/transcript.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { errorHelp } from './error-help.ts';

export interface AnswerEndProps {
  answer: Pick<Answer, 'status' | 'reason' | 'error' | 'parts'>;
  isInterrupted: boolean;
  onRetry: (() => void) | null;
}

/** How an answer ended when it did not simply end, and what can be done. */
export function AnswerEnd({ answer: { status, reason, error, parts }, isInterrupted, onRetry }: AnswerEndProps) {
  const retry = onRetry && (
    <Button size="sm" icon={<RotateCcw aria-hidden />} onClick={onRetry}>
      Try again
    </Button>
  );
  if (isInterrupted || status === 'interrupted')
    return (
      <Banner tone="warn" icon={<Unplug />} actions={retry}>
        The hub was stopped while it answered. What was said until then is kept; a call that was running may have had
        its effect.
      </Banner>
    );
  switch (status) {
    case 'answering':
      return null;
    case 'completed':
      return parts.some(
        (part) => part.type !== 'reasoning' && (part.type === 'call' || part.text.trim() !== ''),
      ) ? null : (
        <p className="text-muted text-sm">The model ended its answer without a word.</p>
      );
    case 'aborted':
      return <p className="text-muted text-sm">Stopped.</p>;
    case 'budget':
    case 'max-ticks':
      return (
        <Banner tone="warn" icon={<Coins />}>
          {reason} Send a message to let it go on from here.
        </Banner>
      );
    case 'failed':
      return <FailedEnd error={error} reason={reason} retry={retry} />;
  }
}

function FailedEnd({ error, reason, retry }: { error: Answer['error']; reason: string; retry: ReactNode }) {
  const { advice, leadsTo, canRetry } = errorHelp(error?.code ?? '');
  return (
    <Banner
      tone="danger"
      icon={<CircleX />}
      actions={
        <>
          {leadsTo === 'models' && (
            <Link to="/models" className={buttonClass({ size: 'sm' })}>
              <BrainCircuit aria-hidden />
              Models
            </Link>
          )}
          {leadsTo === 'servers' && (
            <Link to="/servers" className={buttonClass({ size: 'sm' })}>
              <ServerCog aria-hidden />
              Servers
            </Link>
          )}
          {canRetry && retry}
        </>
      }
    >
      <p className="[overflow-wrap:anywhere]">
        {error && <code className="mr-1.5 font-mono text-xs">{error.code}</code>}
        {error?.message ?? reason}
      </p>
      <p className="mt-0.5 text-muted text-xs">{advice}</p>
    </Banner>
  );
}
