import { BookOpenText, Braces, FileStack, TriangleAlert } from 'lucide-react';
import { type ClipboardEvent, Fragment, memo, useMemo, useRef, useState } from 'react';
import type { AgentSourceKind, SkillCategory } from '../../../../src/agents/agent.ts';
import { compilePrompt, type PromptSection } from '../../../../src/agents/compile-prompt.ts';
import { classes } from '../../../ui/classes.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { countPromptTokens, type SectionTokens, tokenCounter } from './count-tokens.ts';
import type { Draft } from './draft.ts';
import { cutIntoPieces, structuredPrompt } from './structured-prompt.ts';

const count = tokenCounter();

export interface CompiledPanelProps {
  id: string;
  source: AgentSourceKind;
  draft: Draft;
  /** The agent's files and pages; they follow the compiled text. */
  context: string;
  /** The passages the agent's searches find now; they come last. */
  primed: string;
  className?: string;
}

/** The prompt a client gets, compiled with the hub's own function. */
export const CompiledPanel = memo(function CompiledPanel(props: CompiledPanelProps) {
  return props.source === 'lua' ? <ScriptPanel className={props.className} /> : <TextPanel {...props} />;
});

/** The browser cannot run the script, so it cannot show the prompt. */
function ScriptPanel({ className }: { className?: string | undefined }) {
  return (
    <section aria-label="Compiled prompt" className={classes(panelClass, 'justify-center', className)}>
      <EmptyState art={<Braces className="size-10" strokeWidth={1.5} />} title="Built by a script">
        The script builds this prompt on each request. Try it in the Knowledge tab.
      </EmptyState>
    </section>
  );
}

const panelClass = 'flex min-h-0 flex-col overflow-hidden rounded-card border border-line bg-surface shadow-card';

function TextPanel({ id, source, draft, context, primed, className }: CompiledPanelProps) {
  const [view, setView] = useState<'compiled' | 'structured'>('compiled');
  const [marked, setMarked] = useState<number | null>(null);
  const { name, systemPrompt, skills, skillCategories, rules, references } = draft;
  const compilable = useMemo(
    () => ({ id, name, systemPrompt, skills, rules, references }),
    [id, name, systemPrompt, skills, rules, references],
  );
  const compiled = useMemo(() => compilePrompt(compilable), [compilable]);
  const tokens = useMemo(() => countPromptTokens(compiled, count), [compiled]);
  const structured = useMemo(
    () => (view === 'structured' ? JSON.stringify(structuredPrompt(compilable), null, 2) : ''),
    [view, compilable],
  );
  const colors = useMemo(
    () => compiled.sections.map((section) => sectionColor(section, skills, skillCategories)),
    [compiled, skills, skillCategories],
  );
  const text = useRef<HTMLPreElement>(null);
  const added = useMemo(
    () =>
      [
        { kind: 'context' as const, text: context },
        { kind: 'knowledge' as const, text: primed },
      ]
        .filter((each) => each.text !== '')
        .map((each) => ({ ...each, tokens: count(each.text) })),
    [context, primed],
  );
  const addedSections = useRef(new Map<string, HTMLElement | null>());
  const goToAdded = (kind: string) => {
    setView('compiled');
    addedSections.current.get(kind)?.scrollIntoView({ block: 'start' });
  };
  const goTo = (index: number) => {
    setView('compiled');
    setMarked(index);
    text.current?.querySelector(`[data-section="${index}"]`)?.scrollIntoView({ block: 'start' });
  };

  return (
    <section aria-label="Compiled prompt" className={classes(panelClass, className)}>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-b px-4 py-2.5">
        <div className="min-w-0 flex-1">
          <h2 className="whitespace-nowrap font-semibold text-sm">Compiled prompt</h2>
          <p className="text-faint text-xs tabular-nums" title="An estimate: each model counts tokens differently.">
            ≈ <span data-testid="token-total">{tokens.total.toLocaleString('en')}</span> tokens
            {added.map(({ kind, tokens: more }) => (
              <Fragment key={kind}>
                {' + '}
                <button
                  type="button"
                  onClick={() => goToAdded(kind)}
                  className="rounded-sm text-accent-text underline-offset-2 hover:underline"
                >
                  {more.toLocaleString('en')} from {kind}
                </button>
              </Fragment>
            ))}
          </p>
        </div>
        <Segmented
          label="Prompt view"
          value={view}
          onChange={setView}
          options={[
            { value: 'compiled', label: 'Text' },
            { value: 'structured', label: 'Structured' },
          ]}
        />
        <CopyButton
          iconOnly
          label={view === 'compiled' ? 'Copy prompt' : 'Copy JSON'}
          text={view === 'compiled' ? joinPrompt(compiled.text, context, primed) : structured}
        />
      </header>
      {source === 'code' && (
        <p role="status" className="flex items-center gap-2 bg-info-soft px-4 py-2 text-info text-xs">
          <Braces aria-hidden className="size-3.5 shrink-0" />
          Code may change this prompt. Try it in the Knowledge tab.
        </p>
      )}
      {compiled.warnings.map((warning) => (
        <p key={warning} role="status" className="flex items-center gap-2 bg-warn-soft px-4 py-2 text-warn text-xs">
          <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
          {warning}
        </p>
      ))}
      <TokenList sections={tokens.sections} colors={colors} marked={marked} onChoose={goTo} />
      {view === 'compiled' ? (
        <div
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
          tabIndex={0}
          className="min-h-40 flex-1 overflow-auto scroll-smooth outline-offset-[-2px]"
        >
          <CompiledText ref={text} compiled={compiled} marked={marked} />
          {added.map(({ kind, text: more, tokens: size }) => (
            <AddedText
              key={kind}
              ref={(element) => void addedSections.current.set(kind, element)}
              kind={kind}
              text={more}
              tokens={size}
            />
          ))}
        </div>
      ) : (
        <pre
          data-testid="structured-prompt"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
          tabIndex={0}
          className={`min-h-40 flex-1 overflow-auto outline-offset-[-2px] ${textClass}`}
        >
          {structured}
        </pre>
      )}
    </section>
  );
}

const textClass = 'whitespace-pre-wrap break-words px-4 py-3 font-mono text-text text-xs leading-5';

/** Joins the parts as the hub does. */
function joinPrompt(...parts: string[]): string {
  return parts.filter((part) => part !== '').join('\n\n---\n\n');
}

const addedLooks = {
  context: { title: 'Added from context', testId: 'context-section', Icon: FileStack },
  knowledge: { title: 'Added from knowledge', testId: 'primed-section', Icon: BookOpenText },
};

interface AddedTextProps {
  ref: React.Ref<HTMLElement>;
  kind: keyof typeof addedLooks;
  text: string;
  tokens: number;
}

/** Text that the hub adds to the compiled prompt with each request. */
function AddedText({ ref, kind, text, tokens }: AddedTextProps) {
  const { title, testId, Icon } = addedLooks[kind];
  return (
    <section ref={ref} aria-label={title} className="border-accent border-t-2 border-dashed">
      <h3 className="flex items-center gap-2 bg-accent-soft px-4 py-1.5 font-medium font-sans text-accent-text text-xs">
        <Icon aria-hidden className="size-3.5 shrink-0" />
        <span className="flex-1">{title}</span>
        <span className="tabular-nums">≈ {tokens.toLocaleString('en')} tokens</span>
      </h3>
      <pre data-testid={testId} className={textClass}>
        {text}
      </pre>
    </section>
  );
}

interface CompiledTextProps {
  ref: React.Ref<HTMLPreElement>;
  compiled: ReturnType<typeof compilePrompt>;
  marked: number | null;
}

function CompiledText({ ref, compiled, marked }: CompiledTextProps) {
  const pieces = useMemo(() => cutIntoPieces(compiled), [compiled]);
  return (
    <pre ref={ref} data-testid="compiled-prompt" className={textClass} onCopy={copyExactly}>
      {pieces.map((piece) => (
        <Piece
          key={piece.key}
          text={piece.text}
          section={piece.section}
          marked={piece.section !== null && piece.section === marked}
        />
      ))}
    </pre>
  );
}

/** Copies the exact text: block elements would add line breaks. */
function copyExactly(event: ClipboardEvent<HTMLElement>): void {
  const selection = window.getSelection();
  if (!selection || selection.rangeCount === 0) return;
  event.clipboardData.setData('text/plain', selection.getRangeAt(0).cloneContents().textContent ?? '');
  event.preventDefault();
}

const Piece = memo(function Piece({
  text,
  section,
  marked,
}: {
  text: string;
  section: number | null;
  marked: boolean;
}) {
  // Blocks, so that a change re-lays out only its section. The gap between sections absorbs the block's line break.
  if (section === null) return <span className="-mt-[1lh] block text-faint">{text}</span>;
  return (
    <span
      data-section={section}
      className={classes(
        'block scroll-mt-3 rounded-sm [contain-intrinsic-size:auto_20rem] [content-visibility:auto]',
        marked && 'bg-accent-soft',
      )}
    >
      {text}
    </span>
  );
});

interface TokenListProps {
  sections: readonly SectionTokens[];
  colors: readonly string[];
  marked: number | null;
  onChoose: (index: number) => void;
}

/** The tokens of each section, as a bar and as a list of links. */
const TokenList = memo(function TokenList({ sections, colors, marked, onChoose }: TokenListProps) {
  return (
    <div className="border-line border-b px-4 py-2.5">
      <div aria-hidden className="mb-1.5 flex h-2 gap-px overflow-hidden rounded-full bg-pressed">
        {sections.map(({ section, share }, index) => (
          <span
            key={section.skillId ?? section.kind}
            style={{ width: `${share * 100}%`, backgroundColor: colors[index] }}
            className="min-w-px"
          />
        ))}
      </div>
      <ul aria-label="Tokens per section" className="-mx-1.5 max-h-33 overflow-y-auto">
        {sections.map(({ section, tokens, share }, index) => (
          <li key={section.skillId ?? section.kind}>
            <button
              type="button"
              onClick={() => onChoose(index)}
              aria-pressed={marked === index}
              className="flex w-full items-center gap-2 rounded-md px-1.5 py-0.5 text-left text-xs outline-offset-[-2px] hover:bg-hover aria-pressed:bg-hover"
            >
              <span aria-hidden style={{ backgroundColor: colors[index] }} className="size-2 shrink-0 rounded-full" />
              <span className="min-w-0 flex-1 truncate text-muted">{section.title}</span>
              <span className="text-faint tabular-nums">{Math.round(share * 100)}%</span>
              <span className="w-12 text-right tabular-nums">{tokens.toLocaleString('en')}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
});

function sectionColor(section: PromptSection, skills: Draft['skills'], categories: readonly SkillCategory[]): string {
  if (section.kind === 'header') return 'var(--faint)';
  if (section.kind === 'system') return 'var(--accent)';
  const categoryId = skills.find((skill) => skill.id === section.skillId)?.categoryId;
  return categories.find((category) => category.id === categoryId)?.color ?? 'var(--violet)';
}
