import type { Ref } from 'react';
import { CopyButton } from './copy-button.tsx';

export interface SecretLineProps {
  /** Names the secret: "Token". */
  label: string;
  text: string;
  /** Receives the button that copies it. */
  copyRef?: Ref<HTMLButtonElement>;
}

/** A secret that is shown once, to copy. */
export function SecretLine({ label, text, copyRef }: SecretLineProps) {
  return (
    <div className="flex items-center gap-2 rounded-xl border border-line bg-sunken/60 py-2 pr-2 pl-3.5">
      <input
        readOnly
        aria-label={label}
        value={text}
        onFocus={(event) => event.currentTarget.select()}
        className="min-w-0 flex-1 bg-transparent font-mono text-sm outline-none"
      />
      <CopyButton {...(copyRef && { ref: copyRef })} label={`Copy ${label.toLowerCase()}`} text={text} />
    </div>
  );
}
