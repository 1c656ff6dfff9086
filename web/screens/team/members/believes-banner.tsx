import { KeyRound, ShieldAlert } from 'lucide-react';
import type { Member } from '../../../../src/team/members/member.ts';
import { MemberAvatar } from '../../../parts/team/member-badge.tsx';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';

export interface BelievesBannerProps {
  members: readonly Member[];
  onMakeToken: (memberId: string) => void;
}

/** As long as nobody has a token, a call's word is all there is. */
export function BelievesBanner({ members, onMakeToken }: BelievesBannerProps) {
  const [first] = members;
  if (!first) return null;
  const button = (
    <Button size="sm" icon={<KeyRound aria-hidden />}>
      Make a token
    </Button>
  );
  return (
    <Banner
      tone="warn"
      icon={<ShieldAlert aria-hidden />}
      actions={
        <Menu trigger={button}>
          {members.map(({ id }) => (
            <MenuItem key={id} icon={<MemberAvatar id={id} size={18} />} onClick={() => onMakeToken(id)}>
              {id}
            </MenuItem>
          ))}
        </Menu>
      }
    >
      Callers are believed by their word: whoever names a member acts as it. This ends when the first member gets a
      token; from then on each needs its own.
    </Banner>
  );
}
