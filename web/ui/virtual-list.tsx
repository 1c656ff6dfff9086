import {
  defaultRangeExtractor,
  type Range,
  useVirtualizer,
  useWindowVirtualizer,
  type Virtualizer,
} from '@tanstack/react-virtual';
import {
  type ComponentProps,
  type FocusEvent,
  Fragment,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { classes } from './classes.ts';
import { rowSteps } from './use-list-keys.ts';

export interface VirtualListHandle {
  /** Scrolls to a row and focuses its `[data-row]` element. */
  focusRow: (index: number) => void;
  /** Scrolls to a row, so that it is in the middle. */
  showRow: (index: number) => void;
}

/** The props of an `<li>` that make it a row of a long list. */
export type Place = Pick<ComponentProps<'li'>, 'ref' | 'style' | 'aria-setsize' | 'aria-posinset'> & {
  'data-row'?: number;
  'data-index'?: number;
};

export interface VirtualListProps<Item> {
  /** The accessible name of the list. */
  label?: string | undefined;
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** The expected height of a row in pixels. Rows are measured when they are drawn. */
  estimateSize: number;
  gap?: number;
  /** Whether an item takes the focus. Headings between the rows do not. */
  isRow?: (item: Item) => boolean;
  /** Whether an item stays drawn out of view, such as one that is being edited. */
  isKept?: (item: Item) => boolean;
  /** The list grows when its end is reached, so its total size is unknown. */
  hasMore?: boolean;
  /** Called while the last drawn row is close to the end. */
  onNearEnd?: (() => void) | undefined;
  handle?: RefObject<VirtualListHandle | null> | undefined;
  className?: string;
  /** Whether `children` draws the `<li>` itself, with the place as its props. */
  hasOwnItems?: boolean;
  /** Draws a row. Give the element that takes the focus `data-row={index}`; the arrow keys, Home and End move between them. */
  children: (item: Item, index: number, place: Place) => ReactNode;
}

/** `onNearEnd` is called this many rows before the end. */
const ahead = 15;

/** A long list inside a scrolling element. Draws only the rows near its viewport, the row that has the focus, and kept rows. */
export function VirtualList<Item>({
  scroller,
  ...props
}: VirtualListProps<Item> & { scroller: RefObject<HTMLElement | null> }) {
  const focused = useRef(-1);
  const top = useRef<HTMLUListElement>(null);
  const [margin, setMargin] = useState(0);
  const [, setIsMounted] = useState(false);
  const virtual = useVirtualizer({
    ...optionsOf(props, focused),
    getScrollElement: () => scroller.current,
    scrollMargin: margin,
  });
  // If the list is mounted together with its scrolling element, that element is known only in the second render.
  useLayoutEffect(() => setIsMounted(true), []);
  // Other content of the scrolling element may be above the list.
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box || !top.current) return;
    const distance = top.current.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
    setMargin(Math.round(distance));
  });
  return <Rows {...props} list={top} focused={focused} virtual={virtual} margin={margin} />;
}

/** A long list that scrolls with the page. */
export function PageVirtualList<Item>(props: VirtualListProps<Item>) {
  const focused = useRef(-1);
  const top = useRef<HTMLUListElement>(null);
  const [margin, setMargin] = useState(0);
  const virtual = useWindowVirtualizer({ ...optionsOf(props, focused), scrollMargin: margin });
  useLayoutEffect(() => {
    if (top.current) setMargin(Math.round(top.current.getBoundingClientRect().top + window.scrollY));
  });
  return <Rows {...props} list={top} focused={focused} virtual={virtual} margin={margin} />;
}

function optionsOf<Item>(props: VirtualListProps<Item>, focused: RefObject<number>) {
  const { items, keyOf, estimateSize, gap = 0, isKept } = props;
  const kept = isKept ? items.flatMap((item, index) => (isKept(item) ? [index] : [])) : [];
  return {
    count: items.length,
    getItemKey: (index: number) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
    estimateSize: () => estimateSize,
    gap,
    overscan: 8,
    // The focus would be lost with its row.
    rangeExtractor: (range: Range) => withRows(defaultRangeExtractor(range), [focused.current, ...kept], range.count),
  };
}

/** Adds rows to the rows that are drawn, in order. */
export function withRows(rows: number[], added: readonly number[], count: number): number[] {
  const missing = added.filter((row) => row >= 0 && row < count && !rows.includes(row));
  return missing.length === 0 ? rows : [...new Set([...rows, ...missing])].sort((one, other) => one - other);
}

interface RowsProps<Item, Scroller extends Element | Window> extends VirtualListProps<Item> {
  list: RefObject<HTMLUListElement | null>;
  focused: RefObject<number>;
  virtual: Virtualizer<Scroller, Element>;
  margin: number;
}

function Rows<Item, Scroller extends Element | Window>(props: RowsProps<Item, Scroller>) {
  const {
    label,
    items,
    hasMore = false,
    isRow = () => true,
    onNearEnd,
    handle,
    className,
    hasOwnItems = false,
    children,
    list,
    focused,
    virtual,
    margin,
  } = props;
  const pendingFocus = useRef<number | null>(null);
  const drawn = virtual.getVirtualItems();
  const lastDrawn = drawn.at(-1)?.index ?? 0;
  const isNearEnd = lastDrawn >= items.length - ahead;
  useEffect(() => {
    if (isNearEnd) onNearEnd?.();
  });

  const focusDrawn = (index: number) => {
    const element = list.current?.querySelector<HTMLElement>(`[data-row="${index}"]`);
    element?.focus({ preventScroll: true });
    return Boolean(element);
  };
  const focusRow = (index: number) => {
    virtual.scrollToIndex(index);
    pendingFocus.current = focusDrawn(index) ? null : index;
  };
  // A distant row is drawn only after scrolling.
  useEffect(() => {
    if (pendingFocus.current !== null && focusDrawn(pendingFocus.current)) pendingFocus.current = null;
  });
  useImperativeHandle(handle, () => ({
    focusRow,
    showRow: (index) => virtual.scrollToIndex(index, { align: 'center' }),
  }));
  const rows = { count: items.length, isRow: (index: number) => items[index] !== undefined && isRow(items[index]) };

  useEffect(() => {
    const element = list.current;
    if (!element) return;
    // The next row may not be drawn while the focused row is out of view.
    rowSteps.set(element, (row, step) => {
      const index = rowOf(row);
      const next = index === -1 ? undefined : rowAfterKey(step === 1 ? 'ArrowDown' : 'ArrowUp', index, rows);
      if (next !== undefined) focusRow(next);
      return next !== undefined;
    });
  });

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey || event.shiftKey) return;
    const index = event.target instanceof HTMLElement ? rowOf(event.target) : -1;
    const next = index === -1 ? undefined : rowAfterKey(event.key, index, rows);
    if (next === undefined) return;
    event.preventDefault();
    focusRow(next);
  };
  const onFocus = ({ target }: FocusEvent) => {
    const row = target.closest('li')?.dataset.index;
    focused.current = row === undefined ? -1 : Number(row);
  };

  return (
    <ul
      ref={list}
      aria-label={label}
      className={classes('relative', className)}
      style={{ height: virtual.getTotalSize() }}
      onKeyDown={onKeyDown}
      onFocus={onFocus}
      onBlur={() => {
        focused.current = -1;
      }}
    >
      {drawn.map(({ index, key, start }) => {
        const item = items[index];
        if (item === undefined) return null;
        const place: Place = {
          ref: virtual.measureElement,
          'data-index': index,
          'aria-setsize': hasMore ? -1 : items.length,
          'aria-posinset': index + 1,
          style: { position: 'absolute', top: 0, left: 0, right: 0, transform: `translateY(${start - margin}px)` },
        };
        return hasOwnItems ? (
          <Fragment key={key}>{children(item, index, { ...place, 'data-row': index })}</Fragment>
        ) : (
          <li key={key} {...place}>
            {children(item, index, place)}
          </li>
        );
      })}
    </ul>
  );
}

/** Returns -1 if the element is not the one that stands for its row, such as a button in it. */
function rowOf(element: HTMLElement): number {
  return element.dataset.row === undefined ? -1 : Number(element.dataset.row);
}

/** Returns the row that a key moves to, or undefined. */
export function rowAfterKey(
  key: string,
  index: number,
  { count, isRow }: { count: number; isRow: (index: number) => boolean },
): number | undefined {
  const step = key === 'ArrowUp' || key === 'End' ? -1 : 1;
  let next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: count - 1 }[key];
  while (next !== undefined && next >= 0 && next < count) {
    if (isRow(next)) return next;
    next += step;
  }
  return undefined;
}
