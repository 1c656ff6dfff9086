import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { classes } from './classes.ts';

const usualDepth = 2;
const maxShown = 100;
const longestText = 600;

interface JsonViewProps {
  value: unknown;
  label: string;
  /** How deep it is open at first. */
  openDepth?: number;
}

/** JSON to read and fold. What is closed is not drawn, so a large document costs what is looked at. */
export function JsonView({ value, label, openDepth = usualDepth }: JsonViewProps) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      className="max-h-112 overflow-auto rounded-lg border border-line bg-sunken/50 p-2.5 font-mono text-xs leading-5"
    >
      <JsonNode value={value} foldFrom={openDepth} />
    </section>
  );
}

interface NodeProps<V> {
  name?: string;
  value: V;
  /** How many levels below are open at first. */
  foldFrom: number;
}

function JsonNode({ name, value, foldFrom }: NodeProps<unknown>) {
  if (typeof value === 'object' && value !== null)
    return <JsonBranch {...(name !== undefined && { name })} value={value} foldFrom={foldFrom} />;
  return (
    <div className="flex items-start pl-4">
      {name !== undefined && <JsonName name={name} />}
      <JsonLeaf value={value} />
    </div>
  );
}

function JsonBranch({ name, value, foldFrom }: NodeProps<object>) {
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const [isOpen, setIsOpen] = useState(foldFrom > 0 && entries.length <= maxShown);
  const [shown, setShown] = useState(maxShown);
  const [before, after] = isList ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) {
    return (
      <div className="flex items-start pl-4">
        {name !== undefined && <JsonName name={name} />}
        <span className="text-faint">{before + after}</span>
      </div>
    );
  }
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex max-w-full items-start rounded text-left hover:bg-hover"
      >
        <ChevronRight
          aria-hidden
          className={classes('mt-1 mr-1 size-3 shrink-0 text-faint transition-transform', isOpen && 'rotate-90')}
        />
        {name !== undefined && <JsonName name={name} />}
        <span className="text-faint">{isOpen ? before : `${before} ${sizeOf(entries.length, isList)} ${after}`}</span>
      </button>
      {isOpen && (
        <>
          <div className="ml-1.5 border-line border-l pl-2">
            {entries.slice(0, shown).map(([key, each]) => (
              <JsonNode key={key} {...(!isList && { name: key })} value={each} foldFrom={foldFrom - 1} />
            ))}
            {entries.length > shown && (
              <FoldButton onClick={() => setShown(shown + maxShown)}>
                Show {Math.min(maxShown, entries.length - shown)} of {entries.length - shown} more
              </FoldButton>
            )}
          </div>
          <div className="pl-4 text-faint">{after}</div>
        </>
      )}
    </div>
  );
}

function JsonName({ name }: { name: string }) {
  return <span className="mr-1.5 shrink-0 whitespace-pre text-muted">{name}:</span>;
}

function JsonLeaf({ value }: { value: unknown }) {
  if (typeof value === 'string') return <JsonText text={value} />;
  return <span className={typeof value === 'number' ? 'text-info' : 'text-violet'}>{String(value)}</span>;
}

/** Lines as they were written; very long ones folded. */
function JsonText({ text }: { text: string }) {
  const [isWhole, setIsWhole] = useState(text.length <= longestText);
  return (
    <span className="min-w-0">
      <span className="whitespace-pre-wrap text-accent-text [overflow-wrap:anywhere]">
        "{isWhole ? text : text.slice(0, longestText)}"
      </span>
      {!isWhole && (
        <FoldButton onClick={() => setIsWhole(true)}>Show all {text.length.toLocaleString('en')} characters</FoldButton>
      )}
    </span>
  );
}

function FoldButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" onClick={onClick} className="ml-1 rounded px-1 font-sans text-accent-text hover:underline">
      {children}
    </button>
  );
}

function sizeOf(length: number, isList: boolean): string {
  if (isList) return length === 1 ? '1 item' : `${length} items`;
  return length === 1 ? '1 field' : `${length} fields`;
}
