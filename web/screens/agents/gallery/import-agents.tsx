import { FileDown } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { ImportReport } from '../../../../src/agents/transfer-agents.ts';
import { useImportAgents } from '../../../api/queries.ts';
import { showError, showToast } from '../../../ui/toast.tsx';

/** Opens the file picker; `input` has to stand somewhere on the screen. */
export function useImportFile(): {
  pick: () => void;
  input: ReactNode;
  isImporting: boolean;
  read: (files: FileList) => void;
} {
  const element = useRef<HTMLInputElement>(null);
  const { mutateAsync, isPending } = useImportAgents();
  const read = async (files: FileList) => {
    for (const file of files) {
      try {
        const report: ImportReport = await mutateAsync({ document: parse(await file.text(), file.name) });
        const said = describeImport(report);
        showToast(said.title, said.description ? { description: said.description } : {});
      } catch (error) {
        showError(`${file.name} was not imported`, error);
      }
    }
  };
  return {
    pick: () => element.current?.click(),
    isImporting: isPending,
    read: (files) => void read(files),
    input: (
      <input
        ref={element}
        type="file"
        accept="application/json,.json"
        multiple
        hidden
        aria-label="Import agents from JSON files"
        onChange={(event) => {
          const input = event.currentTarget;
          if (!input.files) return;
          // Emptied, so that the same file can be chosen again.
          void read(input.files).then(() => {
            input.value = '';
          });
        }}
      />
    ),
  };
}

/** Files can be dropped anywhere on the window. */
export function ImportDropZone({ onDrop }: { onDrop: (files: FileList) => void }) {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    let depth = 0;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const enter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth += 1;
      setIsOver(true);
    };
    const over = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault();
    };
    const leave = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth = Math.max(0, depth - 1);
      if (depth === 0) setIsOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setIsOver(false);
      if (event.dataTransfer && event.dataTransfer.files.length > 0) onDrop(event.dataTransfer.files);
    };
    const listeners = { dragenter: enter, dragover: over, dragleave: leave, drop } as const;
    const each = Object.entries(listeners) as [keyof typeof listeners, (event: DragEvent) => void][];
    for (const [type, listener] of each) window.addEventListener(type, listener);
    return () => {
      for (const [type, listener] of each) window.removeEventListener(type, listener);
    };
  }, [onDrop]);
  if (!isOver) return null;
  return (
    <div aria-hidden className="pointer-events-none fixed inset-0 z-40 bg-bg/80 p-4 backdrop-blur-xs">
      <div className="flex h-full flex-col items-center justify-center gap-3 rounded-2xl border-2 border-accent border-dashed text-accent-text">
        <FileDown className="size-8" />
        <p className="font-display font-semibold text-lg">Drop to import agents</p>
      </div>
    </div>
  );
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${name} is not JSON. Choose a file that "Export JSON" made.`, { cause });
  }
}

/** The report of an import as a sentence, with what is worth knowing below it. */
export function describeImport(report: ImportReport): { title: string; description: string } {
  const count = report.created.length + report.renamed.length + report.replaced.length;
  const notes = [
    ...report.renamed.map(({ from, to }) => `“${from}” was taken, it is now “${to}”`),
    ...report.skipped.map((id) => `“${id}” was there already`),
  ];
  const shown = notes.slice(0, 3);
  if (notes.length > shown.length) shown.push(`and ${notes.length - shown.length} more`);
  return {
    title: count === 0 ? 'Nothing new in this file' : `${count} ${count === 1 ? 'agent' : 'agents'} imported`,
    description: shown.join(', '),
  };
}
