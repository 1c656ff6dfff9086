import { Pencil } from 'lucide-react';
import { memo, useEffect, useRef, useState } from 'react';
import type { AttachmentInput } from '../../../../src/chats/attachments/attachment.ts';
import type { Turn, Versions } from '../../../../src/chats/transcript.ts';
import { DraftNote } from '../../../parts/drafts/draft-note.tsx';
import { removeDraft } from '../../../parts/drafts/drafts.ts';
import { useFormDraft } from '../../../parts/drafts/use-form-draft.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { exactTime } from '../../../ui/day-names.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { useGrowingBox } from '../use-growing-box.ts';
import { AttachedFiles } from './attached-files.tsx';
import { VersionSwitch } from './version-switch.tsx';

export interface MessageViewProps {
  chatId: string;
  turn: Turn;
  /** Resolves to whether the hub accepted the message. Null when sending is blocked. */
  onResend: ((messageId: string, text: string, attachments: readonly AttachmentInput[]) => Promise<boolean>) | null;
  /** Its versions, if there are several. */
  versions: Versions | undefined;
  onSwitch: ((messageId: string) => void) | null;
}

/** The user's message. Resending an edited message starts a branch; the arrows lead back. */
export const MessageView = memo(function MessageView(props: MessageViewProps) {
  const { chatId, turn, onResend, versions, onSwitch } = props;
  const { messageId, text, at, attachments = [] } = turn;
  // Versions of a message share this component. Each keeps its own edit.
  const [editing, setEditing] = useState<string | null>(null);
  return (
    <article aria-label="Your message" className="group flex flex-col items-end">
      {attachments.length > 0 && <AttachedFiles chatId={chatId} files={attachments} />}
      {editing === messageId && onResend ? (
        <EditMessage
          key={messageId}
          messageId={messageId}
          text={text}
          onCancel={() => setEditing(null)}
          onSend={async (next) => {
            // The files stay with the message.
            const kept = attachments.map(({ hash, name }) => ({ hash, name }));
            if (!(await onResend(messageId, next, kept))) return;
            removeDraft(draftName(messageId));
            setEditing(null);
          }}
        />
      ) : (
        <div className="flex w-full items-center justify-end gap-1">
          <div className="flex shrink-0 transition-opacity focus-within:opacity-100 group-hover:opacity-100 [@media(hover:hover)]:opacity-0">
            {onResend && (
              <IconButton
                size="sm"
                label="Edit and resend"
                icon={<Pencil aria-hidden />}
                onClick={() => setEditing(messageId)}
              />
            )}
            <CopyButton iconOnly label="Copy message" text={text} />
          </div>
          <p
            title={exactTime(at)}
            className="max-w-[min(85%,40rem)] whitespace-pre-wrap rounded-2xl rounded-br-md bg-accent-soft px-3.5 py-2 text-sm [overflow-wrap:anywhere]"
          >
            {text}
          </p>
        </div>
      )}
      {versions && (
        <div className="mt-1">
          <VersionSwitch what="message" versions={versions} onSwitch={onSwitch} />
        </div>
      )}
    </article>
  );
});

function draftName(messageId: string): string {
  return `message/${messageId}`;
}

interface EditMessageProps {
  messageId: string;
  text: string;
  onCancel: () => void;
  onSend: (text: string) => Promise<void>;
}

function EditMessage({ messageId, text, onCancel, onSend }: EditMessageProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  const draft = useFormDraft(draftName(messageId), text);
  const next = draft.value;
  const [isSending, setIsSending] = useState(false);
  const words = next.trim();
  useGrowingBox(box, next);
  useEffect(() => {
    const { current } = box;
    current?.focus({ preventScroll: true });
    current?.setSelectionRange(current.value.length, current.value.length);
    // With its buttons.
    current?.form?.scrollIntoView({ block: 'nearest' });
  }, []);
  const send = async () => {
    if (words === '' || isSending) return;
    setIsSending(true);
    await onSend(words);
    setIsSending(false);
  };
  return (
    <form
      className="flex w-full max-w-2xl flex-col gap-2 rounded-2xl border border-accent bg-raised p-2.5 shadow-card"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <DraftNote draft={draft} className="px-1" />
      <textarea
        ref={box}
        aria-label="Edit message"
        value={next}
        onChange={(event) => draft.set(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.preventDefault();
            event.stopPropagation();
            onCancel();
          } else if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            void send();
          }
        }}
        className="field-sizing-content max-h-[40dvh] min-h-10 resize-none bg-transparent px-1 text-sm outline-none max-md:text-[16px]"
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="min-w-0 flex-1 basis-40 text-faint text-xs">Starts a new branch. The current one is kept.</p>
        <Button size="sm" variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="sm" variant="primary" type="submit" busy={isSending} disabled={words === ''}>
          Resend
        </Button>
      </div>
    </form>
  );
}
