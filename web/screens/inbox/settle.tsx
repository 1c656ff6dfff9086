import { Link } from '@tanstack/react-router';
import { BrainCircuit, KeyRound, RotateCw, ShieldCheck, Wallet } from 'lucide-react';
import { useRef, useState } from 'react';
import type { InboxItem, ItemOf } from '../../../src/inbox/inbox.ts';
import { useAnswerApproval, useRetryFailure } from '../../api/inbox-queries.ts';
import { useMailThread } from '../../api/mail-queries.ts';
import { useServer } from '../../api/server-queries.ts';
import { useFolder, useTrustFolder } from '../../api/settings-queries.ts';
import { useBudgets } from '../../api/usage-queries.ts';
import { useTask } from '../../api/work-queries.ts';
import { MailBody } from '../../parts/mail/mail-body.tsx';
import { ReplyBox } from '../../parts/mail/reply-box.tsx';
import { isWaiting } from '../../parts/servers/tool-status.ts';
import { useStartSignIn } from '../../parts/servers/use-start-sign-in.ts';
import { WaitingTools } from '../../parts/servers/waiting-tools.tsx';
import { FolderParts } from '../../parts/settings/folder-parts.tsx';
import { nameOf } from '../../parts/team/member-badge.tsx';
import { TaskReview } from '../../parts/team/task-review.tsx';
import { ApprovalButtons } from '../../parts/tools/approval-buttons.tsx';
import { BudgetDialog } from '../../parts/usage/budget-dialog.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { showError, showToast } from '../../ui/toast.tsx';

/** What an item is about, and the ways to settle it. */
export function Settle({ item }: { item: InboxItem }) {
  switch (item.kind) {
    case 'approval':
      return <SettleApproval settle={item.settle} />;
    case 'review':
      return <SettleReview {...item.settle} />;
    case 'tools':
      return <SettleTools {...item.settle} />;
    case 'failure':
      return <SettleFailure item={item} />;
    case 'mail':
      return <SettleMail {...item.settle} />;
    case 'trust':
      return <SettleTrust {...item.settle} />;
    case 'sign-in':
      return <SettleSignIn {...item.settle} />;
  }
}

function SettleApproval({ settle }: { settle: ItemOf<'approval'>['settle'] }) {
  const answer = useAnswerApproval();
  return (
    <>
      <JsonView value={settle.input} label="Input" isWhole />
      <ApprovalButtons
        tool={settle.tool}
        outside={settle.outside.length > 0 ? settle.outside : undefined}
        isBusy={answer.isPending || answer.isSuccess}
        hasKeys={false}
        onAnswer={(given) =>
          answer.mutate(
            { chatId: settle.chatId, toolUseId: settle.toolUseId, answer: given },
            {
              onSuccess: () => showToast(given === 'deny' ? `Denied ${settle.tool}` : `Allowed ${settle.tool}`),
              onError: (error) => showError('Your decision could not be saved', error),
            },
          )
        }
      />
    </>
  );
}

function SettleReview({ taskId }: { taskId: string }) {
  const { data, error, refetch } = useTask(taskId);
  if (!data) return <Loading error={error} onRetry={() => void refetch()} />;
  return (
    <>
      {data.description && <Markdown text={data.description} />}
      <TaskReview task={data} />
    </>
  );
}

function SettleTools({ server }: { server: string }) {
  const { data, error, refetch } = useServer(server);
  if (!data) return <Loading error={error} onRetry={() => void refetch()} />;
  const versions = data.versions.length > 1 ? data.versions.map(({ version }) => version) : [];
  return (
    <WaitingTools name={server} tools={[...data.tools, ...data.elsewhere].filter(isWaiting)} versions={versions} />
  );
}

function SettleFailure({ item }: { item: ItemOf<'failure'> }) {
  const retry = useRetryFailure();
  if (item.settle.what === 'budget') return <SettleBudget id={item.settle.budget} />;
  if (item.settle.what === 'run' && !item.settle.canRetry)
    return <p className="text-muted text-sm">Its agent no longer exists on this hub, so it cannot be rerun.</p>;
  const needsCredentials = item.settle.what === 'server' && item.settle.hasBadCredentials;
  const needsModels = (item.settle.what === 'chat' || item.settle.what === 'run') && item.settle.isModelAtFault;
  return (
    <>
      {item.settle.what === 'server' && needsCredentials && (
        <Link
          to="/servers/$name"
          params={{ name: item.settle.server }}
          search={{ tab: 'settings' }}
          className={buttonClass({ variant: 'primary' })}
        >
          <KeyRound aria-hidden />
          Change credentials
        </Link>
      )}
      {needsModels && (
        <Link to="/models" className={buttonClass({ variant: 'primary' })}>
          <BrainCircuit aria-hidden />
          Check in Models
        </Link>
      )}
      <Button
        variant={needsCredentials || needsModels ? 'secondary' : 'primary'}
        icon={<RotateCw aria-hidden />}
        busy={retry.isPending}
        onClick={() =>
          retry.mutate(item, {
            onSuccess: (left) =>
              left instanceof Error
                ? showError('Started again, but this item could not be dismissed', left)
                : showToast('Trying again', { description: item.title }),
            onError: (error) => showError('The retry failed', error),
          })
        }
      >
        {item.settle.what === 'server' ? 'Reconnect' : 'Try again'}
      </Button>
    </>
  );
}

function SettleBudget({ id }: { id: string }) {
  const { data, error, refetch } = useBudgets();
  const [isEditing, setIsEditing] = useState(false);
  if (!data) return <Loading error={error} onRetry={() => void refetch()} />;
  const budget = data.find((each) => each.id === id);
  if (!budget) return <p className="text-muted text-sm">This budget was deleted.</p>;
  return (
    <>
      <Button variant="primary" icon={<Wallet aria-hidden />} onClick={() => setIsEditing(true)}>
        Change the budget
      </Button>
      {isEditing && <BudgetDialog budget={budget} onClose={() => setIsEditing(false)} />}
    </>
  );
}

const shownMails = 3;

function SettleMail({ threadId, canReply }: ItemOf<'mail'>['settle']) {
  const { mails, error, retry } = useMailThread(threadId);
  const box = useRef<HTMLTextAreaElement>(null);
  if (!mails) return <Loading error={error} onRetry={retry} />;
  const target = mails.findLast(({ fromAgentId }) => fromAgentId !== null);
  return (
    <>
      <ul aria-label="Mails" className="flex flex-col gap-3">
        {mails.slice(-shownMails).map((mail) => (
          <li key={mail.id} className="min-w-0 rounded-lg bg-sunken p-3">
            <p className="mb-1 font-medium text-xs">
              {mail.fromAgentType === 'SYSTEM' ? 'Agent Zoo' : nameOf(mail.fromAgentId)}
            </p>
            <MailBody mail={mail} />
          </li>
        ))}
      </ul>
      {canReply && target?.fromAgentId && (
        <div className="overflow-hidden rounded-lg border border-line border-t-0">
          <ReplyBox threadId={threadId} mailId={target.id} to={target.fromAgentId} box={box} onSend={() => {}} />
        </div>
      )}
    </>
  );
}

function SettleTrust({ folder }: { folder: string }) {
  const { data, error, refetch } = useFolder(folder);
  const trust = useTrustFolder();
  if (!data) return <Loading error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <FolderParts folder={data} />
      <Button
        variant="primary"
        icon={<ShieldCheck aria-hidden />}
        busy={trust.isPending}
        onClick={() =>
          trust.mutate(
            { folder, seen: data.seen },
            {
              onSuccess: () => showToast('Trusted', { description: folder }),
              onError: (error) => {
                showError('Nothing was trusted', error);
                void refetch();
              },
            },
          )
        }
      >
        Trust
      </Button>
    </>
  );
}

function SettleSignIn({ server }: { server: string }) {
  const { start, isPending } = useStartSignIn(server);
  return (
    <Button variant="primary" icon={<KeyRound aria-hidden />} busy={isPending} onClick={start}>
      Sign in
    </Button>
  );
}

function Loading({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  return error ? (
    <ErrorState title="The item could not be loaded" error={error} onRetry={onRetry} />
  ) : (
    <div role="status" aria-busy="true" aria-label="Loading">
      <Skeleton className="h-16 rounded-lg" />
    </div>
  );
}
