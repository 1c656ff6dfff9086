import { visibleParts } from './visible-text.ts';

/** What somebody else wrote, as plain data: never as Markdown or HTML, and with nothing hidden in it. */
export function ForeignText({ text }: { text: string }) {
  const parts = visibleParts(text);
  if (!parts.some((part) => part.isHidden)) return text;
  return parts.map((part, index) =>
    part.isHidden ? (
      <mark
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text have no identity beyond their order.
        key={index}
        title="Characters that cannot be seen"
        className="rounded bg-danger-soft px-0.5 font-mono text-danger text-xs"
      >
        {part.text}
      </mark>
    ) : (
      part.text
    ),
  );
}
