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
import { showToast } from '../../../ui/toast.tsx';

// Constants: new objects would make dnd-kit rerender every row on each keystroke.
const pointerOptions = { activationConstraint: { distance: 5 } };
const keyboardOptions = { coordinateGetter: sortableKeyboardCoordinates };

export interface SortableListProps {
  /** Names a row, such as "tool" or "parameter". */
  what: string;
  rows: readonly { id: string; name: string }[];
  /** Moves a row to the position of another one. */
  onMove: (id: string, overId: string) => void;
  children: ReactNode;
}

/** A list that can be reordered by mouse, touch or keyboard. */
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
          draggable: `Press Space or Enter to pick up a ${what}. Use the arrow keys to move it. Press Space to drop it or Escape to cancel.`,
        },
      }}
      onDragEnd={({ active, over }) => {
        if (!over || over.id === active.id) return;
        const [id, overId] = [String(active.id), String(over.id)];
        onMove(id, overId);
        const [from, to] = [ids.indexOf(id), ids.indexOf(overId)];
        // The row that now has its earlier position.
        const back = ids.toSpliced(from, 1).toSpliced(to, 0, id)[from];
        const name = rows[from]?.name;
        if (back !== undefined)
          showToast(`Moved ${what} “${name}”`, { action: { label: 'Undo', onClick: () => onMove(id, back) } });
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
  /** Receives the drag handle, or null if the list is read-only. */
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
  const location = (id: UniqueIdentifier) => `at position ${rows.findIndex((row) => row.id === id) + 1}`;
  return {
    onDragStart: ({ active }) => `Picked up ${name(active.id)}.`,
    onDragOver: ({ active, over }) => (over ? `${name(active.id)} is ${location(over.id)}.` : undefined),
    onDragEnd: ({ active, over }) =>
      over ? `${name(active.id)} dropped ${location(over.id)}.` : `${name(active.id)} returned to its position.`,
    onDragCancel: ({ active }) => `${name(active.id)} returned to its position.`,
  };
}
