import { FileText } from 'lucide-react';
import { sizeName } from '../../../../src/base/size-name.ts';
import { type Attachment, isImage } from '../../../../src/chats/attachments/attachment.ts';

/** The files of a sent message. Images are shown, other files can be downloaded. */
export function AttachedFiles({ chatId, files }: { chatId: string; files: readonly Attachment[] }) {
  return (
    <ul aria-label="Attachments" className="mb-1.5 flex flex-wrap justify-end gap-2">
      {files.map((file) => {
        const address = `/api/chats/${encodeURIComponent(chatId)}/attachments/${file.hash}`;
        return (
          <li key={file.hash} className="max-w-full">
            {isImage(file) ? (
              <a href={address} target="_blank" rel="noreferrer" className="block">
                <img
                  src={address}
                  alt={file.name}
                  loading="lazy"
                  className="max-h-48 min-h-8 min-w-8 max-w-full rounded-xl border border-line bg-sunken object-contain"
                />
              </a>
            ) : (
              <a
                href={address}
                download={file.name}
                className="flex max-w-72 items-center gap-2 rounded-xl border border-line bg-surface px-3 py-2 text-xs hover:bg-hover"
              >
                <FileText aria-hidden className="size-4 shrink-0 text-faint" />
                <span className="min-w-0 truncate">{file.name}</span>
                <span className="shrink-0 text-faint tabular-nums">{sizeName(file.bytes)}</span>
              </a>
            )}
          </li>
        );
      })}
    </ul>
  );
}
