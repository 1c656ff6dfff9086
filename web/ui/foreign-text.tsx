import { visibleParts } from './visible-text.ts';

/** Shows untrusted text as plain text with its invisible characters spelled out. */
export function ForeignText({ text }: { text: string }) {
  const parts = visibleParts(text);
  if (!parts.some((part) => part.isHidden)) return text;
  return parts.map((part, index) =>
    part.isHidden ? (
      <mark
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity beyond their order.
        key={index}
        title="Invisible characters"
        className="rounded bg-danger-soft px-0.5 font-mono text-danger text-xs"
      >
        {part.text}
      </mark>
    ) : (
      part.text
    ),
  );
}
