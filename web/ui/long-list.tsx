import { Fragment, type ReactNode, useContext, useEffect, useRef } from 'react';
import { Scroller } from './scroller.ts';
import { PageVirtualList, type Place, VirtualList, type VirtualListHandle } from './virtual-list.tsx';

export interface LongListProps<Item> {
  label?: string;
  items: readonly Item[];
  keyOf: (item: Item, index: number) => string;
  estimateSize: number;
  gap?: number;
  className?: string;
  /** The item to scroll to once it is in the list; -1 for none. */
  shown?: number;
  /** Whether `children` draws the `<li>` itself, with the place as its props. */
  hasOwnItems?: boolean;
  children: (item: Item, index: number, place: Place) => ReactNode;
}

/** Up to this many items are drawn as a whole, so that the browser can search them. */
const maxDrawn = 500;

/** A list that draws only the rows near the viewport if it is long. It scrolls with the page, or with its dialog, sheet or column. */
export function LongList<Item>(props: LongListProps<Item>) {
  const { label, items, keyOf, gap = 0, className, shown = -1, hasOwnItems = false, children } = props;
  const scroller = useContext(Scroller);
  const whole = useRef<HTMLUListElement>(null);
  const windowed = useRef<VirtualListHandle>(null);
  useEffect(() => {
    if (shown === -1) return;
    windowed.current?.showRow(shown);
    whole.current?.children[shown]?.scrollIntoView({ block: 'center' });
  }, [shown]);
  if (items.length <= maxDrawn)
    return (
      <ul ref={whole} aria-label={label} className={className}>
        {items.map((item, index) => {
          const place = { 'data-row': index, ...(gap > 0 && index > 0 && { style: { marginTop: gap } }) };
          return hasOwnItems ? (
            <Fragment key={keyOf(item, index)}>{children(item, index, place)}</Fragment>
          ) : (
            <li key={keyOf(item, index)} style={place.style}>
              {children(item, index, place)}
            </li>
          );
        })}
      </ul>
    );
  const rows = items.map((item, index) => ({ item, key: keyOf(item, index) }));
  const list = {
    ...props,
    items: rows,
    keyOf: ({ key }: { key: string }) => key,
    handle: windowed,
    children: ({ item }: { item: Item }, index: number, place: Place) => children(item, index, place),
  };
  return scroller ? <VirtualList {...list} scroller={scroller} /> : <PageVirtualList {...list} />;
}
