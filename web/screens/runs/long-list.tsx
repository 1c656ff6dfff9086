import type { ReactNode } from 'react';
import { PageVirtualList } from '../../ui/virtual-list.tsx';

export interface LongListProps<Item> {
  label: string;
  items: readonly Item[];
  keyOf: (item: Item, index: number) => string;
  estimateSize: number;
  gap: number;
  className: string;
  children: (item: Item, index: number) => ReactNode;
}

/** Up to this many items are drawn as a whole, so that the browser can search them. */
const maxDrawn = 500;

/** A list that draws only the rows near the viewport if it is long. */
export function LongList<Item>({ label, items, keyOf, estimateSize, gap, className, children }: LongListProps<Item>) {
  if (items.length <= maxDrawn)
    return (
      <ul aria-label={label} className={className}>
        {items.map((item, index) => (
          <li key={keyOf(item, index)} style={index > 0 ? { marginTop: gap } : undefined}>
            {children(item, index)}
          </li>
        ))}
      </ul>
    );
  const rows = items.map((item, index) => ({ item, key: keyOf(item, index) }));
  return (
    <PageVirtualList
      label={label}
      items={rows}
      keyOf={({ key }) => key}
      estimateSize={estimateSize}
      gap={gap}
      className={className}
    >
      {({ item }, index) => children(item, index)}
    </PageVirtualList>
  );
}
