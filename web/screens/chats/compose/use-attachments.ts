import { useState } from 'react';
import { sizeName } from '../../../../src/base/size-name.ts';
import { attachmentLimits } from '../../../../src/chats/attachments/attachment.ts';

/** A file that the next message carries. */
export interface PendingFile {
  name: string;
  bytes: number;
  /** For images; null for other files. */
  preview: string | null;
  /** Base64. */
  data: string;
}

export interface Attachments {
  files: readonly PendingFile[];
  /** Why the last files were not added. */
  problem: string | null;
  add: (files: Iterable<File>) => Promise<void>;
  remove: (file: PendingFile) => void;
  clear: () => void;
}

/** The files of the message that is being written. */
export function useAttachments(): Attachments {
  const [files, setFiles] = useState<readonly PendingFile[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  return {
    files,
    problem,
    async add(chosen) {
      const { accepted, problem } = acceptFiles(files, [...chosen]);
      setProblem(problem);
      const read = await Promise.all(accepted.map(readFile));
      setFiles((now) => [...now, ...read]);
    },
    remove(file) {
      setProblem(null);
      setFiles((now) => now.filter((each) => each !== file));
    },
    clear() {
      setProblem(null);
      setFiles([]);
    },
  };
}

/** Checks the limits before files are read. The hub checks the rest: what kind of files they are. */
export function acceptFiles<F extends Pick<File, 'name' | 'size' | 'type'>>(
  present: readonly Pick<PendingFile, 'bytes'>[],
  chosen: readonly F[],
): { accepted: F[]; problem: string | null } {
  const accepted: F[] = [];
  let problem: string | null = null;
  let total = present.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const file of chosen) {
    const isPicture = file.type.startsWith('image/');
    const max = isPicture ? attachmentLimits.imageBytes : attachmentLimits.fileBytes;
    if (present.length + accepted.length >= attachmentLimits.files)
      problem = `A message can have at most ${attachmentLimits.files} files.`;
    else if (file.size === 0) problem = `“${file.name}” is empty. Attach another file.`;
    else if (file.size > max)
      problem = `“${file.name}” is ${sizeName(file.size)}. The maximum for ${isPicture ? 'an image' : 'a file'} is ${sizeName(max)}.`;
    else if (total + file.size > attachmentLimits.totalBytes)
      problem = `The files of a message can be at most ${sizeName(attachmentLimits.totalBytes)} in total. Send some in another message.`;
    else {
      accepted.push(file);
      total += file.size;
    }
  }
  return { accepted, problem };
}

function readFile(file: File): Promise<PendingFile> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error ?? new Error(`“${file.name}” could not be read.`));
    reader.onload = () => {
      const url = String(reader.result);
      const data = url.slice(url.indexOf(',') + 1);
      const preview = /^data:image\/(png|jpeg|gif|webp);/.test(url) ? url : null;
      resolve({ name: file.name || 'file', bytes: file.size, preview, data });
    };
    reader.readAsDataURL(file);
  });
}
