import { Send } from 'lucide-react';
import { type FormEvent, type RefObject, useId, useRef } from 'react';
import { maxBody } from '../../../src/team/mail/mail.ts';
import { useReply } from '../../api/mail-queries.ts';
import { Button } from '../../ui/button.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { controlClass } from '../../ui/field.tsx';
import { isApple, Kbd } from '../../ui/kbd.tsx';
import { DraftNote } from '../drafts/draft-note.tsx';
import { useFormDraft } from '../drafts/use-form-draft.ts';
import { attemptKey, forgetAttempt } from './attempts.ts';

export interface ReplyBoxProps {
  threadId: string;
  mailId: string;
  /** The member who gets the reply. */
  to: string;
  box: RefObject<HTMLTextAreaElement | null>;
  /** Called before sending. */
  onSend: () => void;
}

/** Writes a reply. The draft stays with its thread until it is sent, and a retry never sends twice. */
export function ReplyBox({ threadId, mailId, to, box, onSend }: ReplyBoxProps) {
  const id = useId();
  const reply = useReply();
  const isSending = useRef(false);
  const draft = useFormDraft(`mail/${threadId}`, '');
  const text = draft.value;

  const send = async () => {
    const body = text.trim();
    if (body === '' || isSending.current) return;
    isSending.current = true;
    onSend();
    try {
      await reply.mutateAsync({ mailId, body, key: attemptKey(threadId, JSON.stringify([mailId, body])) });
      forgetAttempt(threadId);
      draft.set('');
    } catch {
      // The error appears below the box, which keeps the text.
    } finally {
      isSending.current = false;
      box.current?.focus({ preventScroll: true });
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };

  return (
    <form onSubmit={onSubmit} className="border-line border-t bg-bg px-4 py-3 sm:px-6">
      <DraftNote draft={draft} onlyAfterReload className="mb-2" />
      <label htmlFor={id} className="sr-only">
        Reply to {to}
      </label>
      <textarea
        id={id}
        ref={box}
        rows={2}
        value={text}
        maxLength={maxBody}
        readOnly={reply.isPending}
        aria-busy={reply.isPending || undefined}
        aria-describedby={`${id}-note`}
        placeholder={`Reply to ${to}…`}
        onChange={(event) => draft.set(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
            event.preventDefault();
            void send();
          } else if (event.key === 'Escape') {
            event.preventDefault();
            event.currentTarget.blur();
          }
        }}
        className={`${controlClass} field-sizing-content max-h-[30dvh] min-h-16 resize-none px-3 py-2 text-sm`}
      />
      <div className="mt-2 flex flex-wrap items-center justify-end gap-x-3 gap-y-2">
        <p id={`${id}-note`} className="min-w-0 flex-1 basis-40 text-xs">
          {reply.error ? (
            <span role="alert" className="break-words text-danger">
              Not sent: {errorText(reply.error)}
            </span>
          ) : (
            <span className="text-faint max-md:hidden">
              Markdown is supported. <Kbd>{isApple ? '⌘ Enter' : 'Ctrl Enter'}</Kbd> to send.
            </span>
          )}
        </p>
        <Button
          type="submit"
          variant="primary"
          icon={<Send aria-hidden />}
          busy={reply.isPending}
          disabled={text.trim() === ''}
        >
          {reply.error ? 'Try again' : 'Send'}
        </Button>
      </div>
    </form>
  );
}
