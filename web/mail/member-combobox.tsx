import { Combobox } from '@base-ui/react/combobox';
import { Check, ChevronsUpDown } from 'lucide-react';
import type { RefObject } from 'react';
import type { Member } from '../../src/team/member.ts';
import { MemberAvatar, MemberTypeBadge } from '../team-look/member-badge.tsx';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';

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
export function MemberCombobox(props: MemberComboboxProps) {
  const { label, members, isLoading, value, onChange, error, inputRef } = props;
  const chosen = members.find((member) => member.id === value) ?? null;
  return (
    <Field label={label} error={error}>
      {(parts) => (
        <Combobox.Root
          items={members}
          value={chosen}
          onValueChange={(next) => onChange(next?.id ?? '')}
          itemToStringLabel={(member) => member.id}
          isItemEqualToValue={(one, other) => one.id === other.id}
          filter={(member, query) => {
            const words = query.trim().toLowerCase();
            return `${member.id} ${member.type} ${member.agent ?? ''}`.toLowerCase().includes(words);
          }}
          autoHighlight
        >
          <div className="relative">
            <Combobox.Input
              {...parts}
              ref={inputRef}
              placeholder={isLoading ? 'Loading the members…' : 'A member of the team'}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              render={<Input className="pr-8" />}
            />
            <Combobox.Trigger
              aria-label="Show the members"
              className="absolute inset-y-0 right-0 flex w-8 items-center justify-center text-faint hover:text-text"
            >
              <ChevronsUpDown aria-hidden className="size-3.5" />
            </Combobox.Trigger>
          </div>
          <Combobox.Portal>
            <Combobox.Positioner sideOffset={4} className="z-50">
              <Combobox.Popup className="flex max-h-[min(20rem,var(--available-height))] w-(--anchor-width) flex-col overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-pop">
                <Combobox.Empty className="text-muted text-sm empty:hidden [&:not(:empty)]:px-2 [&:not(:empty)]:py-3">
                  No member is called that.
                </Combobox.Empty>
                <Combobox.List>
                  {(member: Member) => (
                    <Combobox.Item
                      key={member.id}
                      value={member}
                      className="flex items-center gap-2 rounded-lg px-2 py-1.5 text-sm outline-none data-highlighted:bg-hover max-md:py-2.5"
                    >
                      <MemberAvatar id={member.id} size={20} />
                      <span className="min-w-0 flex-1 truncate">{member.id}</span>
                      <MemberTypeBadge type={member.type} />
                      <span className="w-3.5 text-accent-text">
                        <Combobox.ItemIndicator>
                          <Check aria-hidden className="size-3.5" />
                        </Combobox.ItemIndicator>
                      </span>
                    </Combobox.Item>
                  )}
                </Combobox.List>
              </Combobox.Popup>
            </Combobox.Positioner>
          </Combobox.Portal>
        </Combobox.Root>
      )}
    </Field>
  );
}
