import { FileCode2, KeyRound, Terminal } from 'lucide-react';
import { useRef } from 'react';
import { useHubAddress } from '../../../api/access-queries.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { CodeText } from '../../../ui/code-text.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { SecretLine } from '../../../ui/secret-line.tsx';
import { type TokenSnippet, tokenSnippets } from './token-snippets.ts';

export interface TokenDialogProps {
  memberId: string;
  token: string;
  onClose: () => void;
}

/** Shows the token once. The hub stores only its hash. */
export function TokenDialog({ memberId, token, onClose }: TokenDialogProps) {
  const done = useRef<HTMLButtonElement>(null);
  const snippets = tokenSnippets({ url: useHubAddress(), memberId, token });
  return (
    <Dialog
      open
      onClose={onClose}
      size="lg"
      staysOnClickOutside
      title={`${memberId}'s token`}
      initialFocus={done}
      footer={
        <Button ref={done} variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Banner tone="warn" icon={<KeyRound aria-hidden />}>
          Copy the token now. It is shown only once; the hub stores only its hash.
        </Banner>
        <SecretLine label="Token" text={token} />
        {snippets.map((snippet) => (
          <SnippetView key={snippet.title} snippet={snippet} />
        ))}
      </div>
    </Dialog>
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
