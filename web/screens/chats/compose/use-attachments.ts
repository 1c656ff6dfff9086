import { useRef, useState, useSyncExternalStore } from 'react';
import { sizeName } from '../../../../src/base/size-name.ts';
import { attachmentLimits } from '../../../../src/chats/attachments/attachment.ts';
import { keepDraft, readDraft, removeDraft } from '../../../parts/drafts/drafts.ts';

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
  /** The names of files that the message had before the page was reloaded. */
  lost: readonly string[];
  add: (files: Iterable<File>) => Promise<void>;
  remove: (files: readonly PendingFile[]) => void;
  /** Stops naming the files that were lost. */
  dismissLost: () => void;
}

/** The files of unsent messages by draft. They live as long as the page; a reload keeps only their names, to say what is missing. */
const held = new Map<string, readonly PendingFile[]>();
const listeners = new Set<() => void>();
const none: readonly PendingFile[] = [];

const namesDraft = (draft: string) => `chat/${draft}/files`;

/** The files of the message that is being written. */
export function useAttachments(draft: string): Attachments {
  const files = useSyncExternalStore(subscribe, () => filesOf(draft));
  const [problem, setProblem] = useState<string | null>(null);
  const [lost, setLost] = useState(() => lostOf(draft));
  const adding = useRef<Promise<void>>(Promise.resolve());
  return {
    files,
    problem,
    lost,
    add(chosen) {
      const all = [...chosen];
      // One after the other, so that the limits count all of them.
      adding.current = adding.current.then(async () => {
        const { accepted, problem } = acceptFiles(filesOf(draft), all);
        const { read, failed } = await readFiles(accepted);
        hold(draft, [...filesOf(draft), ...read]);
        const present = new Set(filesOf(draft).map(nameOf));
        setLost((names) => names.filter((name) => !present.has(name)));
        setProblem(
          failed[0] === undefined
            ? problem
            : `“${failed[0]}” could not be read. If it is a folder, attach the files in it.`,
        );
      });
      return adding.current;
    },
    remove(gone) {
      setProblem(null);
      setLost([]);
      hold(
        draft,
        filesOf(draft).filter((file) => !gone.includes(file)),
      );
    },
    dismissLost() {
      setLost([]);
      hold(draft, filesOf(draft));
    },
  };
}

/** Forgets the files of a chat that was deleted. */
export function forgetFiles(draft: string): void {
  hold(draft, none);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Signing out removes the drafts, and then the files count no more. */
function filesOf(draft: string): readonly PendingFile[] {
  return readDraft(namesDraft(draft)) ? (held.get(draft) ?? none) : none;
}

function lostOf(draft: string): string[] {
  const names: unknown = readDraft(namesDraft(draft))?.value;
  const present = new Set(filesOf(draft).map(nameOf));
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string' && !present.has(name)) : [];
}

function hold(draft: string, files: readonly PendingFile[]): void {
  held.set(draft, files);
  if (files.length > 0) keepDraft(namesDraft(draft), files.map(nameOf), null);
  else removeDraft(namesDraft(draft));
  for (const listener of listeners) listener();
}

function nameOf({ name }: PendingFile): string {
  return name;
}

/** Reads what can be read, and names the rest: a folder, or a file that has gone. */
export async function readFiles(
  files: readonly File[],
  read: (file: File) => Promise<PendingFile> = readFile,
): Promise<{ read: PendingFile[]; failed: string[] }> {
  const results = await Promise.allSettled(files.map(read));
  return {
    read: results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    failed: files.flatMap(({ name }, index) => (results[index]?.status === 'rejected' ? [name] : [])),
  };
}

/** Returns the files as a message carries them. */
export function toInput(files: readonly PendingFile[]): { name: string; data: string }[] {
  return files.map(({ name, data }) => ({ name, data }));
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
