import { CopyButton } from './copy-button.tsx';

/** A secret that is shown once, to copy. `label` names it: "Token". */
export function SecretLine({ label, text }: { label: string; text: string }) {
  return (
    <div className="flex items-center gap-2 rounded-xl border border-line bg-sunken/60 py-2 pr-2 pl-3.5">
      <input
        readOnly
        aria-label={label}
        value={text}
        onFocus={(event) => event.currentTarget.select()}
        className="min-w-0 flex-1 bg-transparent font-mono text-sm outline-none"
      />
      <CopyButton label={`Copy ${label.toLowerCase()}`} text={text} />
    </div>
  );
}
