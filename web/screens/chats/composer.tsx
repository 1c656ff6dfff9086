import { ArrowUp, Square } from 'lucide-react';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import { IconButton } from '../../ui/icon-button.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { useMedia } from '../../ui/use-media.ts';
import { readDraft, writeDraft } from './chat-storage.ts';
import { browserStorage } from './use-open-tabs.ts';

export interface ComposerProps {
  /** What is written and not sent is kept under this name, also when the page is loaded again. */
  draft: string;
  box: RefObject<HTMLTextAreaElement | null>;
  placeholder: string;
  /** Why nothing can be sent now, for the person; null when it can. What is written stays. */
  reason: string | null;
  /** What the keyboard can do about it. */
  reasonKeys?: string | undefined;
  /** Resolves once it is kept by the hub. */
  onSend: (text: string) => Promise<boolean>;
  /** An answer is under way and can be stopped. */
  onStop: (() => void) | null;
}

/** Where a message is written. It grows with its text. */
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
  // A phone's keyboard would cover what is to be read.
  const hasKeyboard = useMedia('(hover: hover) and (min-width: 48rem)');
  useEffect(() => {
    if (hasKeyboard && !document.querySelector('[role="dialog"]')) box.current?.focus({ preventScroll: true });
  }, [hasKeyboard, box]);

  const send = async () => {
    const words = text.trim();
    if (words === '' || reason !== null || isSending) return;
    setIsSending(true);
    const isKept = await onSend(words);
    setIsSending(false);
    // What was typed meanwhile is the next message.
    if (isKept && latest.current.trim() === words) change('');
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
          // While letters are being composed, Enter chooses one of them.
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
              <Kbd>Enter</Kbd> sends, <Kbd>Shift Enter</Kbd> begins a new line
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
