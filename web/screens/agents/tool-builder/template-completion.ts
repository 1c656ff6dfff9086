import { type EditorState, type Extension, Prec, StateEffect, StateField } from '@codemirror/state';
import { EditorView, keymap, showTooltip, type TooltipView, tooltips } from '@codemirror/view';
import { offeredWords } from './offered-words.ts';
import { matchingWords, type TemplateWord } from './template-words.ts';

/** A completion list below a reference: arrows select, Enter or Tab accepts, Escape closes, Ctrl-Space opens. */

interface Offer {
  reference: OpenReference;
  words: readonly TemplateWord[];
  chosen: number;
}

const choose = StateEffect.define<number>();
const close = StateEffect.define();
const open = StateEffect.define();
const listId = 'zoo-words';

const offer = StateField.define<Offer | null>({
  create: () => null,
  update(before, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(close)) return null;
      if (effect.is(open)) return findOffer(transaction.state);
      if (effect.is(choose)) return before && { ...before, chosen: effect.value };
    }
    if (transaction.docChanged) {
      const isTyped = transaction.isUserEvent('input') || transaction.isUserEvent('delete');
      return isTyped ? findOffer(transaction.state) : null;
    }
    return transaction.selection ? null : before;
  },
  provide: (field) => [
    showTooltip.compute([field], (state) => {
      const found = state.field(field);
      return found && { pos: found.reference.from, create: createList, above: false };
    }),
    EditorView.contentAttributes.compute([field], (state): Record<string, string> => {
      const found = state.field(field);
      if (!found) return { 'aria-autocomplete': 'list', 'aria-haspopup': 'listbox' };
      return {
        'aria-autocomplete': 'list',
        'aria-haspopup': 'listbox',
        'aria-controls': listId,
        'aria-activedescendant': `${listId}-${found.chosen}`,
      };
    }),
  ],
});

function findOffer(state: EditorState): Offer | null {
  const { main } = state.selection;
  if (!main.empty || state.readOnly) return null;
  const line = state.doc.lineAt(main.head);
  const found = openReferenceAt(line.text, main.head - line.from);
  if (!found) return null;
  const words = matchingWords(state.facet(offeredWords), found.typed);
  const isDone = found.isClosed && words.some((word) => word.path === found.typed);
  if (words.length === 0 || isDone) return null;
  return { reference: { ...found, from: found.from + line.from, to: found.to + line.from }, words, chosen: 0 };
}

function accept(view: EditorView, index?: number): boolean {
  const found = view.state.field(offer);
  const word = found?.words[index ?? found.chosen];
  if (!found || !word) return false;
  const { from, to, isClosed } = found.reference;
  const insert = isClosed ? word.path : `${word.path}}`;
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + word.path.length + 1 },
    effects: close.of(null),
    userEvent: 'input.complete',
  });
  return true;
}

function step(view: EditorView, by: number): boolean {
  const found = view.state.field(offer);
  if (!found) return false;
  const chosen = (found.chosen + by + found.words.length) % found.words.length;
  view.dispatch({ effects: choose.of(chosen) });
  return true;
}

const keys = Prec.highest(
  keymap.of([
    { key: 'ArrowDown', run: (view) => step(view, 1) },
    { key: 'ArrowUp', run: (view) => step(view, -1) },
    { key: 'Enter', run: (view) => accept(view) },
    { key: 'Tab', run: (view) => accept(view) },
    {
      key: 'Escape',
      run: (view) => {
        if (!view.state.field(offer)) return false;
        view.dispatch({ effects: close.of(null) });
        return true;
      },
    },
    {
      key: 'Ctrl-Space',
      run: (view) => {
        view.dispatch({ effects: open.of(null) });
        return true;
      },
    },
  ]),
);

function createList(view: EditorView): TooltipView {
  const dom = document.createElement('div');
  dom.className = 'zoo-words';
  dom.id = listId;
  dom.setAttribute('role', 'listbox');
  dom.setAttribute('aria-label', 'Parameters');
  let shown: Offer | null = null;
  const draw = () => {
    const found = view.state.field(offer);
    if (!found || found === shown) return;
    shown = found;
    dom.replaceChildren(...found.words.map((word, index) => option(view, word, index, index === found.chosen)));
    dom.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  };
  draw();
  return { dom, update: draw };
}

function option(view: EditorView, word: TemplateWord, index: number, isChosen: boolean): HTMLElement {
  const dom = document.createElement('div');
  dom.id = `${listId}-${index}`;
  dom.setAttribute('role', 'option');
  dom.setAttribute('aria-selected', String(isChosen));
  dom.append(part('zoo-word', word.path), part('zoo-word-kind', word.kind), part('zoo-word-note', word.note));
  dom.addEventListener('mousedown', (event) => {
    // Keeps focus in the text.
    event.preventDefault();
    accept(view, index);
  });
  return dom;
}

function part(className: string, text: string): HTMLElement {
  const dom = document.createElement('span');
  dom.className = className;
  dom.textContent = text;
  return dom;
}

const look = EditorView.theme({
  '.cm-tooltip': { border: 'none', backgroundColor: 'transparent', zIndex: '30' },
  '.zoo-words': {
    maxHeight: '14rem',
    maxWidth: 'min(28rem, 80vw)',
    overflowY: 'auto',
    marginTop: '4px',
    padding: '4px',
    borderRadius: '12px',
    border: '1px solid var(--line)',
    backgroundColor: 'var(--raised)',
    boxShadow: '0 2px 6px var(--shadow-color), 0 12px 32px -4px var(--shadow-color)',
  },
  '.zoo-words > div': {
    display: 'flex',
    alignItems: 'baseline',
    gap: '8px',
    padding: '4px 8px',
    borderRadius: '8px',
    fontSize: '0.75rem',
    cursor: 'default',
    whiteSpace: 'nowrap',
  },
  '.zoo-words > div[aria-selected="true"]': { backgroundColor: 'var(--hover)' },
  '.zoo-word': { color: 'var(--text)' },
  '.zoo-word-kind': { color: 'var(--faint)' },
  '.zoo-word-note': {
    color: 'var(--muted)',
    fontFamily: 'system-ui, sans-serif',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    minWidth: '0',
  },
});

export const completion: Extension = [
  offer,
  keys,
  look,
  // Fixed positions are wrong inside a container with layout containment.
  tooltips({ position: 'absolute' }),
  EditorView.domEventHandlers({
    blur: (_event, view) => {
      if (view.state.field(offer)) view.dispatch({ effects: close.of(null) });
    },
  }),
];

/** A reference being typed: from after its brace to the end of the text to replace. */
interface OpenReference {
  from: number;
  to: number;
  typed: string;
  /** Whether the closing brace exists. */
  isClosed: boolean;
}

/** Returns the reference around a position in a line, if a brace opens one. */
export function openReferenceAt(line: string, at: number): OpenReference | undefined {
  const brace = line.lastIndexOf('{', at - 1);
  if (brace === -1 || line.slice(brace, at).includes('}')) return undefined;
  let braces = 1;
  while (line[brace - braces] === '{') braces += 1;
  // Two braces are a literal brace.
  if (braces % 2 === 0) return undefined;
  const rest = /^[^{}]*/.exec(line.slice(at))?.[0] ?? '';
  const isClosed = line[at + rest.length] === '}';
  return { from: brace + 1, to: isClosed ? at + rest.length : at, typed: line.slice(brace + 1, at), isClosed };
}
