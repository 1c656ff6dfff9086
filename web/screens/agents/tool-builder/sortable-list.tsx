import {
  type Announcements,
  closestCenter,
  DndContext,
  KeyboardSensor,
  PointerSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import {
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import { GripVertical } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { classes } from '../../../ui/classes.ts';

// Constants: new objects would make dnd-kit draw every row again at each key typed.
const pointerOptions = { activationConstraint: { distance: 5 } };
const keyboardOptions = { coordinateGetter: sortableKeyboardCoordinates };

export interface SortableListProps {
  /** "tool", "parameter": what a row is. */
  what: string;
  rows: readonly { id: string; name: string }[];
  /** The row takes the place of the other one. */
  onMove: (id: string, overId: string) => void;
  children: ReactNode;
}

/** Rows that are ordered with mouse, finger or keyboard. */
export function SortableList({ what, rows, onMove, children }: SortableListProps) {
  const sensors = useSensors(useSensor(PointerSensor, pointerOptions), useSensor(KeyboardSensor, keyboardOptions));
  const order = rows.map((row) => row.id).join('\n');
  const ids = useMemo(() => order.split('\n'), [order]);
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      accessibility={{
        announcements: announce(rows, what),
        screenReaderInstructions: {
          draggable: `To move a ${what}, press space or enter. While moving, use the arrow keys. Press space again to put it down, escape to cancel.`,
        },
      }}
      onDragEnd={({ active, over }) => {
        if (over && over.id !== active.id) onMove(String(active.id), String(over.id));
      }}
    >
      <SortableContext items={ids} strategy={verticalListSortingStrategy}>
        {children}
      </SortableContext>
    </DndContext>
  );
}

export interface SortableRowProps {
  id: string;
  label: string;
  editable: boolean;
  className?: string;
  /** Gets the handle that moves the row; null where nothing can be moved. */
  children: (handle: ReactNode) => ReactNode;
}

export function SortableRow({ id, label, editable, className, children }: SortableRowProps) {
  const sortable = useSortable({ id, disabled: !editable });
  const handle = editable ? (
    <button
      type="button"
      ref={sortable.setActivatorNodeRef}
      {...sortable.attributes}
      {...sortable.listeners}
      aria-label={`Move ${label}`}
      className="flex h-8 w-5 shrink-0 cursor-grab touch-none items-center justify-center rounded-md text-faint hover:bg-hover hover:text-text max-md:w-7"
    >
      <GripVertical aria-hidden className="size-4" />
    </button>
  ) : null;
  return (
    <li
      ref={sortable.setNodeRef}
      style={{ transform: CSS.Translate.toString(sortable.transform), transition: sortable.transition }}
      className={classes(className, sortable.isDragging && 'relative z-10 opacity-60 ring-2 ring-accent')}
    >
      {children(handle)}
    </li>
  );
}

function announce(rows: SortableListProps['rows'], what: string): Announcements {
  const name = (id: UniqueIdentifier) => rows.find((row) => row.id === id)?.name || `the ${what}`;
  const place = (id: UniqueIdentifier) => `at position ${rows.findIndex((row) => row.id === id) + 1}`;
  return {
    onDragStart: ({ active }) => `Picked up ${name(active.id)}.`,
    onDragOver: ({ active, over }) => (over ? `${name(active.id)} is ${place(over.id)}.` : undefined),
    onDragEnd: ({ active, over }) =>
      over ? `${name(active.id)} was put down ${place(over.id)}.` : `${name(active.id)} is back where it was.`,
    onDragCancel: ({ active }) => `${name(active.id)} is back where it was.`,
  };
}
