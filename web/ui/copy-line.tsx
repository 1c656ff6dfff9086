import { CopyButton } from './copy-button.tsx';

export interface CopyLineProps {
  label: string;
  /** Names the text on the copy button, e.g. "address". */
  what: string;
  text: string;
}

/** One line to copy, such as an address or a command. */
export function CopyLine({ label, what, text }: CopyLineProps) {
  return (
    <span className="flex min-w-0 max-w-full items-center gap-1.5 text-xs">
      <span className="shrink-0 text-faint">{label}</span>
      <code title={text} className="min-w-0 truncate font-mono">
        {text}
      </code>
      <CopyButton iconOnly label={`Copy ${what}`} text={text} />
    </span>
  );
}
