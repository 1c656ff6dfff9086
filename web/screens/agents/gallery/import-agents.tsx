import { FileDown } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { broadAgents, type ImportReport } from '../../../../src/agents/transfer-agents.ts';
import { useImportAgents } from '../../../api/queries.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';

/** Imports agents from JSON files. Render `input` anywhere; `pick` opens its file dialog. */
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
        const document = parse(await file.text(), file.name);
        if (!(await isWanted(document, file.name))) continue;
        const report: ImportReport = await mutateAsync({ document });
        const { title, description } = describeImport(report);
        showToast(title, description ? { description } : {});
      } catch (error) {
        showError(`${file.name} could not be imported`, error);
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
          // Cleared, so that the same file can be picked again.
          void read(input.files).then(() => {
            input.value = '';
          });
        }}
      />
    ),
  };
}

/** Accepts files dropped anywhere in the window. */
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

/** Asks before agents are saved that may do more than most. */
async function isWanted(document: unknown, file: string): Promise<boolean> {
  const broad = broadAgents(document);
  if (broad.length === 0) return true;
  const shown = broad.slice(0, maxShown).map(({ name, powers }) => `${name} ${powers.join(', and ')}.`);
  const more = broad.length - shown.length;
  return confirm({
    title: `Import agents with broad powers?`,
    message: `Import ${file} only if you trust whoever wrote it.`,
    list: more > 0 ? [...shown, `And ${more} more.`] : shown,
    confirmLabel: 'Import',
  });
}

const maxShown = 8;

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${name} is not JSON. Choose a file exported by Agent Zoo, or the agents.json of AgentZoo.`, {
      cause,
    });
  }
}

/** Describes an import for a toast: how many agents, and which were renamed or skipped. */
export function describeImport(report: ImportReport): { title: string; description: string } {
  const count = report.created.length + report.renamed.length + report.replaced.length;
  const notes = [
    ...report.renamed.map(({ from, to }) => `“${from}” renamed to “${to}”`),
    ...report.skipped.map((id) => `“${id}” already exists`),
    ...(report.brainEntries === 0 ? [] : [plural(report.brainEntries, 'brain entry', 'brain entries')]),
    ...report.notes,
  ];
  const shown = notes.slice(0, 3);
  if (notes.length > shown.length) shown.push(`and ${notes.length - shown.length} more`);
  return {
    title: count === 0 ? 'No new agents in this file' : `${plural(count, 'agent', 'agents')} imported`,
    description: shown.join(', '),
  };
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
