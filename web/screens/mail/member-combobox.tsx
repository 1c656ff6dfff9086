import type { RefObject } from 'react';
import type { Member } from '../../../src/team/members/member.ts';
import { MemberAvatar, MemberTypeBadge } from '../../parts/team/member-badge.tsx';
import { Combobox } from '../../ui/combobox.tsx';

export interface MemberComboboxProps {
  label: string;
  members: readonly Member[];
  isLoading: boolean;
  /** Empty: none yet. */
  value: string;
  onChange: (id: string) => void;
  error: string | null;
  inputRef: RefObject<HTMLInputElement | null>;
}

/** A member, found by a part of its id or its type. */
export function MemberCombobox({ members, isLoading, ...rest }: MemberComboboxProps) {
  return (
    <Combobox
      {...rest}
      items={members}
      placeholder={isLoading ? 'Loading the members…' : 'A member of the team'}
      showLabel="Show the members"
      nothingFits="No member is called that."
      nameOf={(member) => member.id}
      wordsOf={(member) => `${member.id} ${member.type} ${member.agent ?? ''}`}
    >
      {(member) => (
        <>
          <MemberAvatar id={member.id} size={20} />
          <span className="min-w-0 flex-1 truncate">{member.id}</span>
          <MemberTypeBadge type={member.type} />
        </>
      )}
    </Combobox>
  );
}
