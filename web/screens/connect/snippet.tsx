import { FileCode2, Terminal } from 'lucide-react';
import type { ConnectSnippet } from '../../../src/http/hub.contract.ts';
import { CodeText } from '../../ui/code-text.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';

export function Snippet({ snippet }: { snippet: ConnectSnippet }) {
  return (
    <figure className="overflow-hidden rounded-xl border border-line bg-sunken/60">
      <figcaption className="flex items-center gap-2 border-line border-b bg-surface py-1 pr-1.5 pl-3 text-xs">
        {snippet.file === null ? (
          <Terminal aria-hidden className="size-3.5 shrink-0 text-faint" />
        ) : (
          <FileCode2 aria-hidden className="size-3.5 shrink-0 text-faint" />
        )}
        <span className="shrink-0 font-medium">{snippet.title}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-2xs text-faint">
          {snippet.file ?? 'run in a terminal'}
        </span>
        <CopyButton size="sm" variant="ghost" label="Copy" text={snippet.text} />
      </figcaption>
      <CodeText text={snippet.text} wrap={snippet.language === 'shell'} />
    </figure>
  );
}
