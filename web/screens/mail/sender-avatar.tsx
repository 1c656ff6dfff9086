import { Cog } from 'lucide-react';
import type { Mail } from '../../../src/team/mail/mail.ts';
import { MemberAvatar, MemberTypeBadge } from '../../parts/team/member-badge.tsx';
import { Badge } from '../../ui/badge.tsx';

type Sender = Pick<Mail, 'fromAgentId' | 'fromAgentType'>;

/** Shows the sender. The hub's own mails have a gear, because the hub is neither a member nor the user. */
export function SenderAvatar({ sender, size }: { sender: Sender; size: number }) {
  if (sender.fromAgentType !== 'SYSTEM') return <MemberAvatar id={sender.fromAgentId} size={size} />;
  return (
    <span
      aria-hidden
      style={{ width: size, height: size }}
      className="inline-flex shrink-0 items-center justify-center rounded-[28%] bg-pressed text-muted [&>svg]:size-3/5"
    >
      <Cog />
    </span>
  );
}

export function SenderTypeBadge({ sender: { fromAgentType: type } }: { sender: Sender }) {
  if (type === 'HUMAN') return null;
  return type === 'SYSTEM' ? <Badge>System</Badge> : <MemberTypeBadge type={type} />;
}
