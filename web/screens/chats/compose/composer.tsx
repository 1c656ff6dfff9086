import { ArrowUp, Square } from 'lucide-react';
import { type RefObject, useEffect, useId, useState } from 'react';
import { DraftNote } from '../../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../../parts/drafts/use-form-draft.ts';
import { classes } from '../../../ui/classes.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Kbd } from '../../../ui/kbd.tsx';
import { hasKeyboard, useMedia } from '../../../ui/use-media.ts';
import { useGrowingBox } from '../use-growing-box.ts';
import { AttachButton, AttachmentChips } from './attachment-chips.tsx';
import { type Attachments, type PendingFile, toInput } from './use-attachments.ts';

export interface ComposerProps {
  /** The chat whose unsent text this is; `new` for one that does not exist yet. */
  draft: string;
  box: RefObject<HTMLTextAreaElement | null>;
  /** What had the focus when the chat was opened. If the focus has moved on while the chat was loading, it stays there. */
  opener?: Element | null;
  /** The files of the message, from `useAttachments`. */
  attachments: Attachments;
  placeholder: string;
  /** Tells the user why sending is blocked; null when it is not. The text stays. */
  reason: string | null;
  /** Names the key that helps. */
  reasonKeys?: string | undefined;
  /** Resolves to true once the hub has stored the message. */
  onSend: (text: string, files: readonly { name: string; data: string }[]) => Promise<boolean>;
  /** Null unless an answer is in progress. */
  onStop: (() => void) | null;
}

/** The message box. It grows with its text. */
export function Composer({
  draft,
  box,
  opener,
  attachments,
  placeholder,
  reason,
  reasonKeys,
  onSend,
  onStop,
}: ComposerProps) {
  const id = useId();
  const unsent = useFormDraft(`chat/${draft}`, '');
  const text = unsent.value;
  useGrowingBox(box, text);
  const [isSending, setIsSending] = useState(false);
  const [isDropTarget, setIsDropTarget] = useState(false);
  // On a phone, the on-screen keyboard would cover the conversation.
  const mayFocus = useMedia(hasKeyboard);
  useEffect(() => {
    if (!mayFocus || document.querySelector('[role="dialog"]') || hasMovedOn(opener)) return;
    box.current?.focus({ preventScroll: true });
  }, [mayFocus, box, opener]);

  const send = async () => {
    const { files } = attachments;
    const words = text.trim() || wordsFor(files);
    if (words === '' || reason !== null || isSending) return;
    setIsSending(true);
    const isStored = await onSend(words, toInput(files));
    setIsSending(false);
    // What was typed or attached while sending stays for the next message.
    if (isStored) attachments.remove(files);
    if (isStored) unsent.set((now) => (now.trim() === words ? '' : now));
  };

  return (
    <form
      aria-label="New message"
      className={classes(
        'relative rounded-2xl border bg-raised shadow-card transition-colors focus-within:border-accent',
        isDropTarget ? 'border-accent border-dashed bg-accent-soft' : 'border-control',
      )}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setIsDropTarget(true);
      }}
      onDragLeave={() => setIsDropTarget(false)}
      onDrop={(event) => {
        setIsDropTarget(false);
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        void attachments.add(event.dataTransfer.files);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <DraftNote draft={unsent} onlyAfterReload className="px-3.5 pt-2.5" />
      <AttachmentChips attachments={attachments} />
      <textarea
        ref={box}
        data-composer
        aria-label="Message"
        aria-describedby={`${id}-note`}
        rows={1}
        value={text}
        placeholder={wordsFor(attachments.files) || placeholder}
        onChange={(event) => unsent.set(event.target.value)}
        onPaste={(event) => {
          // Copied spreadsheet cells also come as an image; the text is what the user wants.
          if (event.clipboardData.files.length === 0 || event.clipboardData.types.includes('text/plain')) return;
          event.preventDefault();
          void attachments.add(event.clipboardData.files);
        }}
        onKeyDown={(event) => {
          // During IME composition, Enter accepts a candidate.
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          void send();
        }}
        className="field-sizing-content block max-h-[40dvh] min-h-11 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 text-sm outline-none placeholder:text-faint max-md:text-[16px]"
      />
      <div className="flex items-center gap-2 px-2 pb-2">
        <AttachButton attachments={attachments} disabled={isSending} />
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
            disabled={(text.trim() || wordsFor(attachments.files)) === '' || reason !== null || isSending}
            aria-busy={isSending || undefined}
            className="rounded-full! bg-accent text-on-accent! hover:bg-accent-hover! disabled:bg-pressed disabled:text-muted!"
          />
        )}
      </div>
    </form>
  );
}

function hasMovedOn(opener: Element | null | undefined): boolean {
  const focused = document.activeElement;
  if (opener === undefined || focused === null || focused === document.body || focused === opener) return false;
  // The heading has the focus after a navigation.
  return !focused.matches('h1');
}

/** The message that files without text are sent with; empty if there are none. The box shows it as its placeholder. */
function wordsFor(files: readonly PendingFile[]): string {
  if (files.length === 0) return '';
  return files.length === 1 ? 'See the attached file.' : 'See the attached files.';
}
