import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { visibleText } from '../../src/base/visible-json.ts';
import { classes } from './classes.ts';

const defaultDepth = 2;
const maxShown = 100;
const maxTextLength = 600;

interface JsonViewProps {
  value: unknown;
  label: string;
  /** How many levels are open at first. */
  openDepth?: number;
  /** Shows everything, however long, with invisible characters escaped, to a user who must decide about it. */
  isWhole?: boolean;
}

/** A collapsible JSON tree. Closed branches are not rendered, so large documents stay fast. */
export function JsonView({ value, label, openDepth = defaultDepth, isWhole = false }: JsonViewProps) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
      tabIndex={0}
      className="max-h-112 overflow-auto rounded-lg border border-line bg-sunken/50 p-2.5 font-mono text-xs leading-5"
    >
      <JsonNode value={value} openDepth={isWhole ? Number.POSITIVE_INFINITY : openDepth} />
    </section>
  );
}

interface NodeProps<V> {
  name?: string;
  value: V;
  /** How many levels from here are open at first. Infinity shows everything. */
  openDepth: number;
}

function JsonNode({ name, value, openDepth }: NodeProps<unknown>) {
  if (typeof value === 'object' && value !== null)
    return <JsonBranch {...(name !== undefined && { name })} value={value} openDepth={openDepth} />;
  return (
    <div className="flex items-start pl-4">
      {name !== undefined && <JsonName name={name} />}
      <JsonLeaf value={value} isWhole={openDepth === Number.POSITIVE_INFINITY} />
    </div>
  );
}

function JsonBranch({ name, value, openDepth }: NodeProps<object>) {
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const isWhole = openDepth === Number.POSITIVE_INFINITY;
  const [isOpen, setIsOpen] = useState(isWhole || (openDepth > 0 && entries.length <= maxShown));
  const [shown, setShown] = useState(isWhole ? entries.length : maxShown);
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
              <JsonNode key={key} {...(!isList && { name: key })} value={each} openDepth={openDepth - 1} />
            ))}
            {entries.length > shown && (
              <ShowMoreButton onClick={() => setShown(shown + maxShown)}>
                Show {Math.min(maxShown, entries.length - shown)} of {entries.length - shown} more
              </ShowMoreButton>
            )}
          </div>
          <div className="pl-4 text-faint">{after}</div>
        </>
      )}
    </div>
  );
}

function JsonName({ name }: { name: string }) {
  return <span className="mr-1.5 shrink-0 whitespace-pre text-muted">{visibleText(name)}:</span>;
}

function JsonLeaf({ value, isWhole }: { value: unknown; isWhole: boolean }) {
  if (typeof value === 'string') return <JsonText text={isWhole ? visibleText(value) : value} isWhole={isWhole} />;
  return <span className={typeof value === 'number' ? 'text-info' : 'text-violet'}>{String(value)}</span>;
}

/** Keeps line breaks and cuts very long text. */
function JsonText({ text, isWhole }: { text: string; isWhole: boolean }) {
  const [isExpanded, setIsExpanded] = useState(isWhole || text.length <= maxTextLength);
  return (
    <span className="min-w-0">
      <span className="whitespace-pre-wrap text-accent-text [overflow-wrap:anywhere]">
        "{isExpanded ? text : text.slice(0, maxTextLength)}"
      </span>
      {!isExpanded && (
        <ShowMoreButton onClick={() => setIsExpanded(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </ShowMoreButton>
      )}
    </span>
  );
}

function ShowMoreButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
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
