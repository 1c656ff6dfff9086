import { Link } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { type RefObject, useRef, useState } from 'react';
import { maxBody, maxSubject } from '../../../src/team/mail/mail.ts';
import type { Member } from '../../../src/team/members/member.ts';
import { useWriteMail } from '../../api/mail-queries.ts';
import { useMembers } from '../../api/team-queries.ts';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { attemptKey, forgetAttempt } from '../../parts/mail/attempts.ts';
import { MemberAvatar, MemberTypeBadge } from '../../parts/team/member-badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/input.tsx';
import { isApple } from '../../ui/kbd.tsx';
import { TextareaField } from '../../ui/textarea.tsx';

export interface ComposeDialogProps {
  /** A member, or empty to let the user choose. */
  to: string;
  onClose: () => void;
  onSent: (threadId: string) => void;
}

const draftKey = 'mail/new';
const empty = { to: '', subject: '', body: '' };

/** Writes a new mail. Closing the dialog keeps the draft until it opens again. */
export function ComposeDialog({ to, onClose, onSent }: ComposeDialogProps) {
  const toInput = useRef<HTMLInputElement>(null);
  const subjectInput = useRef<HTMLInputElement>(null);
  const members = useMembers();
  const write = useWriteMail();
  const isSending = useRef(false);
  const [wasSent, setWasSent] = useState(false);
  const draft = useFormDraft(draftKey, empty);
  const [chosen, setChosen] = useState<string | null>(to || null);
  const mail = { ...draft.value, to: chosen ?? draft.value.to };
  const change = (part: keyof typeof empty, text: string) => {
    if (part === 'to') setChosen(text);
    draft.set((now) => ({ ...now, ...(chosen !== null && { to: chosen }), [part]: text }));
  };
  const known = members.data?.members ?? [];
  const problems = {
    to: mail.to === '' ? 'Choose a recipient.' : null,
    subject: mail.subject.trim() === '' ? 'Enter a subject.' : null,
    body: mail.body.trim() === '' ? 'Write a message.' : null,
  };
  const shown = wasSent && !write.isSuccess ? problems : { to: null, subject: null, body: null };

  const send = () => {
    setWasSent(true);
    if (Object.values(problems).some((problem) => problem !== null) || isSending.current) return;
    const sent = { toAgentId: mail.to, subject: mail.subject.trim(), body: mail.body.trim() };
    isSending.current = true;
    const sending = write.mutateAsync({ mail: sent, key: attemptKey(draftKey, JSON.stringify(sent)) }).finally(() => {
      isSending.current = false;
    });
    draft.save(sending, {
      onSaved: () => forgetAttempt(draftKey),
      // A thread has the id of its first mail.
      whileOpen: ({ mailId }) => onSent(mailId),
    });
  };

  return (
    <FormDialog
      onClose={onClose}
      size="lg"
      title="New mail"
      description="Goes to the member's inbox; replies appear here."
      initialFocus={mail.to ? subjectInput : toInput}
      note={
        <span className="mr-auto text-faint text-xs max-md:hidden">
          {isApple ? '⌘' : 'Ctrl'} Enter to send. Closing keeps a draft.
        </span>
      }
      cancel="Close"
      submit={write.error ? 'Try again' : 'Send'}
      submitIcon={<Send aria-hidden />}
      onSubmit={send}
      request={write}
      failure="Not sent: "
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
        event.preventDefault();
        send();
      }}
    >
      <DraftNote draft={draft} />
      <MemberCombobox
        label="To"
        members={known}
        isLoading={members.isPending}
        value={mail.to}
        onChange={(id) => change('to', id)}
        error={shown.to}
        inputRef={toInput}
      />
      {members.error && (
        <p role="alert" className="text-danger text-sm">
          The members could not be loaded: {errorText(members.error)}{' '}
          <Button size="sm" variant="ghost" onClick={() => void members.refetch()}>
            Try again
          </Button>
        </p>
      )}
      {members.data && known.length === 0 && (
        <p className="text-muted text-sm">
          The team has no members yet.{' '}
          <Link to="/team/members" search={{ add: true }} className="text-accent-text underline underline-offset-2">
            Add one
          </Link>
          .
        </p>
      )}
      <TextField
        ref={subjectInput}
        label="Subject"
        value={mail.subject}
        maxLength={maxSubject}
        autoComplete="off"
        error={shown.subject}
        onChange={(event) => change('subject', event.currentTarget.value)}
      />
      <TextareaField
        label="Message"
        hint="Markdown is supported."
        value={mail.body}
        maxLength={maxBody}
        rows={7}
        inputClass="min-h-36 max-h-[40dvh]"
        error={shown.body}
        onChange={(event) => change('body', event.currentTarget.value)}
      />
    </FormDialog>
  );
}

interface MemberComboboxProps {
  label: string;
  members: readonly Member[];
  isLoading: boolean;
  /** Empty until one is chosen. */
  value: string;
  onChange: (id: string) => void;
  error: string | null;
  inputRef: RefObject<HTMLInputElement | null>;
}

/** Chooses a member by id, type or agent. */
function MemberCombobox({ members, isLoading, ...rest }: MemberComboboxProps) {
  return (
    <Combobox
      {...rest}
      items={members}
      placeholder={isLoading ? 'Loading members…' : 'Choose a member'}
      showLabel="Show members"
      noMatchText="No members match."
      nameOf={(member) => member.id}
      alsoFoundBy={(member) => ({ keywords: [member.type, member.agent ?? ''] })}
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
