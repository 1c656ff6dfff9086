import { Fragment, type ReactNode } from 'react';
import { visibleParts } from './visible-text.ts';

interface ForeignTextProps {
  text: string;
  /** Shows what stands between backticks as code. */
  hasCode?: boolean;
}

/** Shows untrusted text as plain text with its invisible characters spelled out. */
export function ForeignText({ text, hasCode = false }: ForeignTextProps) {
  if (!hasCode || !text.includes('`')) return <PlainText text={text} />;
  return text.split(/`([^`\n]+)`/).map((part, index) => {
    const Part = index % 2 === 0 ? Fragment : Code;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity beyond their order.
      <Part key={index}>
        <PlainText text={part} />
      </Part>
    );
  });
}

function Code({ children }: { children: ReactNode }) {
  return <code className="font-mono text-[0.92em]">{children}</code>;
}

function PlainText({ text }: { text: string }) {
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
