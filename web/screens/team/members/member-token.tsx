import { KeyRound, ShieldOff } from 'lucide-react';
import type { Member } from '../../../../src/team/members/member.ts';
import { useRevokeToken } from '../../../api/team-queries.ts';
import { Button } from '../../../ui/button.tsx';
import { confirm } from '../../../ui/confirm.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';

export interface MemberTokenProps {
  member: Member;
  onMakeToken: (id: string) => void;
}

export function MemberToken({ member, onMakeToken }: MemberTokenProps) {
  const revoke = useRevokeToken();
  const takeAway = async () => {
    const sure = await confirm({
      title: `Take the token of “${member.id}” away?`,
      message: 'Its calls are refused from then on, unless no other member has a token either.',
      confirmLabel: 'Take away',
      danger: true,
    });
    if (!sure) return;
    revoke.mutate(member.id, {
      onSuccess: () => showToast(`“${member.id}” has no token any more`),
      onError: (error) => showError('The token was not taken away', error),
    });
  };
  return (
    <section aria-labelledby="member-token" className="rounded-card border border-line p-3.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <KeyRound aria-hidden className="size-4 shrink-0 text-faint" />
        <div className="min-w-0 flex-1 basis-40">
          <h3 id="member-token" className="font-semibold text-sm">
            Token
          </h3>
          <p className="text-muted text-xs">
            {member.hasToken ? 'It proves who it is with its token.' : 'It has none.'}
          </p>
        </div>
        {member.hasToken && (
          <Button
            size="sm"
            variant="ghost"
            icon={<ShieldOff aria-hidden />}
            busy={revoke.isPending}
            onClick={() => void takeAway()}
          >
            Take away
          </Button>
        )}
        <Button size="sm" onClick={() => onMakeToken(member.id)}>
          {member.hasToken ? 'New token' : 'Make a token'}
        </Button>
      </div>
    </section>
  );
}
