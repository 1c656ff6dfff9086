import { FileCode2, Terminal } from 'lucide-react';
import { useHubAddress } from '../../../api/access-queries.ts';
import { SecretDialog } from '../../../parts/access/secret-dialog.tsx';
import { CodeText } from '../../../ui/code-text.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { type TokenSnippet, tokenSnippets } from './token-snippets.ts';

export interface TokenDialogProps {
  memberId: string;
  token: string;
  onClose: () => void;
}

/** Shows the token once. */
export function TokenDialog({ memberId, token, onClose }: TokenDialogProps) {
  const snippets = tokenSnippets({ url: useHubAddress(), memberId, token });
  return (
    <SecretDialog title={`${memberId}'s token`} size="lg" what="token" secret={token} onClose={onClose}>
      {snippets.map((snippet) => (
        <SnippetView key={snippet.title} snippet={snippet} />
      ))}
    </SecretDialog>
  );
}

function SnippetView({ snippet }: { snippet: TokenSnippet }) {
  const Icon = snippet.file === null ? Terminal : FileCode2;
  return (
    <figure className="overflow-hidden rounded-xl border border-line bg-sunken/60">
      <figcaption className="flex items-center gap-2 border-line border-b bg-surface py-1 pr-1.5 pl-3 text-xs">
        <Icon aria-hidden className="size-3.5 shrink-0 text-faint" />
        <span className="shrink-0 font-medium">{snippet.title}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-2xs text-faint">
          {snippet.file ?? 'run in a terminal'}
        </span>
        <CopyButton size="sm" variant="ghost" label="Copy" text={snippet.text} />
      </figcaption>
      <CodeText text={snippet.text} wrap={snippet.file === null} />
    </figure>
  );
}
