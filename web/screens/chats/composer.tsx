import { ArrowUp, Square } from 'lucide-react';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import { IconButton } from '../../ui/icon-button.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { useMedia } from '../../ui/use-media.ts';
import { browserStorage, readDraft, writeDraft } from './chat-storage.ts';

export interface ComposerProps {
  /** The storage name for unsent text, which survives a reload. */
  draft: string;
  box: RefObject<HTMLTextAreaElement | null>;
  placeholder: string;
  /** Tells the user why sending is blocked; null when it is not. The text stays. */
  reason: string | null;
  /** Names the key that helps. */
  reasonKeys?: string | undefined;
  /** Resolves to true once the hub has stored the message. */
  onSend: (text: string) => Promise<boolean>;
  /** Null unless an answer is in progress. */
  onStop: (() => void) | null;
}

/** The message box. It grows with its text. */
export function Composer({ draft, box, placeholder, reason, reasonKeys, onSend, onStop }: ComposerProps) {
  const id = useId();
  const [text, setText] = useState(() => readDraft(browserStorage, draft));
  const [isSending, setIsSending] = useState(false);
  const latest = useRef(text);
  const change = (next: string) => {
    latest.current = next;
    setText(next);
    writeDraft(browserStorage, draft, next);
  };
  // On a phone, the on-screen keyboard would cover the conversation.
  const hasKeyboard = useMedia('(hover: hover) and (min-width: 48rem)');
  useEffect(() => {
    if (hasKeyboard && !document.querySelector('[role="dialog"]')) box.current?.focus({ preventScroll: true });
  }, [hasKeyboard, box]);

  const send = async () => {
    const words = text.trim();
    if (words === '' || reason !== null || isSending) return;
    setIsSending(true);
    const isStored = await onSend(words);
    setIsSending(false);
    // Text typed while sending stays as the next message.
    if (isStored && latest.current.trim() === words) change('');
  };

  return (
    <form
      className="relative rounded-2xl border border-control bg-raised shadow-card transition-colors focus-within:border-accent"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        ref={box}
        data-composer
        aria-label="Message"
        aria-describedby={`${id}-note`}
        rows={1}
        value={text}
        placeholder={placeholder}
        onChange={(event) => change(event.target.value)}
        onKeyDown={(event) => {
          // During IME composition, Enter accepts a candidate.
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          void send();
        }}
        className="field-sizing-content block max-h-[40dvh] min-h-11 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 text-sm outline-none placeholder:text-faint max-md:text-[16px]"
      />
      <div className="flex items-center gap-2 px-2 pb-2 pl-3.5">
        <p id={`${id}-note`} className="min-w-0 flex-1 truncate text-2xs text-faint">
          {reason !== null ? (
            <>
              {reason} {reasonKeys && <span className="max-md:hidden">{reasonKeys}</span>}
            </>
          ) : (
            <span className="max-md:hidden">
              <Kbd>Enter</Kbd> to send, <Kbd>Shift Enter</Kbd> for a new line
            </span>
          )}
        </p>
        {onStop ? (
          <IconButton
            label="Stop"
            shortcut="Esc"
            icon={<Square aria-hidden className="fill-current" />}
            onClick={onStop}
            className="rounded-full! bg-text text-bg! hover:bg-muted!"
          />
        ) : (
          <IconButton
            type="submit"
            label="Send"
            icon={<ArrowUp aria-hidden />}
            disabled={text.trim() === '' || reason !== null || isSending}
            aria-busy={isSending || undefined}
            className="rounded-full! bg-accent text-on-accent! hover:bg-accent-hover! disabled:bg-pressed disabled:text-muted!"
          />
        )}
      </div>
    </form>
  );
}
