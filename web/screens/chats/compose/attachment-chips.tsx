import { FileText, Paperclip, X } from 'lucide-react';
import { useRef } from 'react';
import { sizeName } from '../../../../src/base/size-name.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import type { Attachments } from './use-attachments.ts';

/** The files that the next message carries, each with a button to remove it. */
export function AttachmentChips({ attachments }: { attachments: Attachments }) {
  const { files, problem, lost, remove, dismissLost } = attachments;
  if (files.length === 0 && problem === null && lost.length === 0) return null;
  return (
    <div className="flex flex-col gap-2 px-3 pt-3">
      {files.length > 0 && (
        <ul aria-label="Attachments" className="flex flex-wrap gap-2">
          {files.map((file, index) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: two files may have the same name.
              key={index}
              className="flex max-w-full items-center gap-2 rounded-lg border border-line bg-sunken py-1 pr-1 pl-1.5 text-xs"
            >
              {file.preview ? (
                <img src={file.preview} alt="" className="size-8 rounded object-cover" />
              ) : (
                <FileText aria-hidden className="size-4 text-faint" />
              )}
              <span className="min-w-0 max-w-44 truncate">{file.name}</span>
              <span className="shrink-0 text-faint tabular-nums">{sizeName(file.bytes)}</span>
              <IconButton
                size="sm"
                label={`Remove ${file.name}`}
                icon={<X aria-hidden />}
                onClick={() => remove([file])}
              />
            </li>
          ))}
        </ul>
      )}
      {lost.length > 0 && (
        <p role="status" className="flex flex-wrap items-center gap-x-2 gap-y-1 text-warn text-xs">
          <span className="min-w-0 [overflow-wrap:anywhere]">
            Files are not kept when the page is reloaded. Attach again: {lost.join(', ')}.
          </span>
          <button
            type="button"
            onClick={dismissLost}
            className="rounded font-medium text-accent-text underline-offset-2 hover:underline"
          >
            Dismiss
          </button>
        </p>
      )}
      {problem !== null && (
        <p role="alert" className="text-danger text-xs">
          {problem}
        </p>
      )}
    </div>
  );
}

/** Opens the file picker. */
export function AttachButton({ attachments, disabled }: { attachments: Attachments; disabled: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          void attachments.add(event.currentTarget.files ?? []);
          // The same file can be chosen again.
          event.currentTarget.value = '';
        }}
      />
      <IconButton
        label="Attach images, PDF or text files"
        icon={<Paperclip aria-hidden />}
        disabled={disabled}
        onClick={() => input.current?.click()}
      />
    </>
  );
}
