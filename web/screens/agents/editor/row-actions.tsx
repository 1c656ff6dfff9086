import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';
import type { MouseEvent } from 'react';
import { IconButton } from '../../../ui/icon-button.tsx';
import { showToast } from '../../../ui/toast.tsx';

export interface RowActionsProps<T> {
  /** The row as the labels of the buttons call it. */
  name: string;
  index: number;
  count: number;
  setList: (change: (list: readonly T[]) => T[]) => void;
}

/** Moves a row of a list up or down, or deletes it. The rows are keyed by position, so the focus moves along with the row. */
export function RowActions<T>({ name, index, count, setList }: RowActionsProps<T>) {
  const move = ({ currentTarget }: MouseEvent, step: 1 | -1) => {
    const to = index + step;
    if (to < 0 || to >= count) return;
    setList((list) => list.toSpliced(index, 1).toSpliced(to, 0, ...list.slice(index, index + 1)));
    const item = currentTarget.closest('li');
    const next = step === 1 ? item?.nextElementSibling : item?.previousElementSibling;
    next?.querySelector<HTMLElement>(`[data-move="${step}"]`)?.focus();
  };
  const remove = () => {
    let removed: readonly T[] = [];
    setList((list) => {
      removed = list.slice(index, index + 1);
      return list.toSpliced(index, 1);
    });
    const undo = () => setList((list) => list.toSpliced(index, 0, ...removed));
    showToast(`Deleted ${name}`, { action: { label: 'Undo', onClick: undo } });
  };
  return (
    <>
      <IconButton
        size="sm"
        label={`Move ${name} up`}
        icon={<ArrowUp aria-hidden />}
        data-move={-1}
        aria-disabled={index === 0}
        onClick={(event) => move(event, -1)}
      />
      <IconButton
        size="sm"
        label={`Move ${name} down`}
        icon={<ArrowDown aria-hidden />}
        data-move={1}
        aria-disabled={index === count - 1}
        onClick={(event) => move(event, 1)}
      />
      <IconButton size="sm" label={`Delete ${name}`} icon={<Trash2 aria-hidden />} onClick={remove} />
    </>
  );
}
