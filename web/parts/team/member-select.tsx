import { useMembers } from '../../api/team-queries.ts';
import { Select } from '../../ui/select.tsx';
import { MemberAvatar } from './member-badge.tsx';

export interface MemberSelectProps {
  label: string;
  /** A member's id; empty for none. */
  value: string;
  onChange: (id: string) => void;
  /** The label of the empty option. */
  none: string;
  /** A member to leave out. */
  except?: string;
  disabled?: boolean;
  className?: string;
  id?: string;
}

export function MemberSelect({ value, onChange, none, except, ...rest }: MemberSelectProps) {
  const members = (useMembers().data?.members ?? []).filter((member) => member.id !== except);
  const isUnknown = value !== '' && !members.some((member) => member.id === value);
  return (
    <Select
      {...rest}
      value={value}
      onChange={onChange}
      options={[
        { value: '', label: none },
        ...[...members.map((member) => member.id), ...(isUnknown ? [value] : [])].map((id) => ({
          value: id,
          label: id,
          icon: <MemberAvatar id={id} size={18} />,
        })),
      ]}
    />
  );
}
