import { Combobox } from '@base-ui/react/combobox';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Check } from 'lucide-react';
import { type ReactNode, type RefObject, useImperativeHandle, useRef } from 'react';

export interface OptionListHandle {
  show: (index: number) => void;
}

export interface OptionListProps<Item> {
  handle: RefObject<OptionListHandle | null>;
  keyOf: (item: Item) => string;
  children: (item: Item) => ReactNode;
}

const estimatedHeight = 36;

/**
 * The matching items of a Base UI combobox, which must be `virtualized` and call `show` for the highlighted item. Draws only the
 * items near the viewport.
 */
export function OptionList<Item>({ handle, keyOf, children }: OptionListProps<Item>) {
  const items = Combobox.useFilteredItems<Item>();
  const list = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => list.current,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
    estimateSize: () => estimatedHeight,
    overscan: 8,
  });
  useImperativeHandle(handle, () => ({ show: (index) => virtual.scrollToIndex(index) }));
  return (
    <Combobox.List ref={list} className="min-h-0 overflow-y-auto overscroll-contain">
      <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const item = items[index];
          return (
            item !== undefined && (
              <Combobox.Item
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                index={index}
                value={item}
                aria-setsize={items.length}
                aria-posinset={index + 1}
                style={{ transform: `translateY(${start}px)` }}
                className="absolute inset-x-0 top-0 flex items-center gap-2.5 rounded-lg px-2 py-1.5 text-sm outline-none data-highlighted:bg-hover max-md:py-2.5"
              >
                {children(item)}
                <span className="w-3.5 shrink-0 text-accent-text">
                  <Combobox.ItemIndicator>
                    <Check aria-hidden className="size-3.5" />
                  </Combobox.ItemIndicator>
                </span>
              </Combobox.Item>
            )
          );
        })}
      </div>
    </Combobox.List>
  );
}

/** Returns the handle of an option list, and what makes it follow the highlight. */
export function useOptionList() {
  const handle = useRef<OptionListHandle>(null);
  const follow = (_: unknown, { reason, index }: { reason: string; index: number }) => {
    // The list is drawn, or drawn anew, after the highlight has moved.
    if (reason !== 'pointer' && index >= 0) queueMicrotask(() => handle.current?.show(index));
  };
  return { handle, follow };
}
