import { CopyButton } from './copy-button.tsx';

export interface CopyLineProps {
  label: string;
  /** What the button copies, in words: "address". */
  what: string;
  text: string;
}

/** One line to be pasted elsewhere, such as an address or a command. */
export function CopyLine({ label, what, text }: CopyLineProps) {
  return (
    <span className="flex min-w-0 max-w-full items-center gap-1.5 text-xs">
      <span className="shrink-0 text-faint">{label}</span>
      <code title={text} className="min-w-0 truncate font-mono">
        {text}
      </code>
      <CopyButton iconOnly label={`Copy the ${what}`} text={text} />
    </span>
  );
}
