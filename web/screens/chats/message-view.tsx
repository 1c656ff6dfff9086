import { Pencil } from 'lucide-react';
import { memo, useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';

export interface MessageViewProps {
  messageId: string;
  text: string;
  at: number;
  /** Resolves to whether the hub accepted the message. Null when sending is blocked. */
  onResend: ((messageId: string, text: string) => Promise<boolean>) | null;
}

/** The user's message. Resending an edited message replaces everything after it. */
export const MessageView = memo(function MessageView({ messageId, text, at, onResend }: MessageViewProps) {
  const [isEditing, setIsEditing] = useState(false);
  return (
    <article aria-label="Your message" className="group flex flex-col items-end">
      {isEditing && onResend ? (
        <EditMessage
          text={text}
          onCancel={() => setIsEditing(false)}
          onSend={async (next) => {
            if (await onResend(messageId, next)) setIsEditing(false);
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
                onClick={() => setIsEditing(true)}
              />
            )}
            <CopyButton iconOnly label="Copy message" text={text} />
          </div>
          <p
            title={new Date(at).toLocaleString()}
            className="max-w-[min(85%,40rem)] whitespace-pre-wrap rounded-2xl rounded-br-md bg-accent-soft px-3.5 py-2 text-sm [overflow-wrap:anywhere]"
          >
            {text}
          </p>
        </div>
      )}
    </article>
  );
});

interface EditMessageProps {
  text: string;
  onCancel: () => void;
  onSend: (text: string) => Promise<void>;
}

function EditMessage({ text, onCancel, onSend }: EditMessageProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  const [next, setNext] = useState(text);
  const [isSending, setIsSending] = useState(false);
  const words = next.trim();
  useEffect(() => {
    const { current } = box;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
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
      <textarea
        ref={box}
        aria-label="Edit message"
        value={next}
        onChange={(event) => setNext(event.target.value)}
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
        <p className="min-w-0 flex-1 basis-40 text-faint text-xs">Replaces everything after this message.</p>
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
