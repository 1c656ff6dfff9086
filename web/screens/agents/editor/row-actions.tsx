import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react';
import { IconButton } from '../../../ui/icon-button.tsx';
import { showToast } from '../../../ui/toast.tsx';

export interface RowActionsProps<T> {
  /** The row as the labels of the buttons call it. */
  name: string;
  index: number;
  count: number;
  setList: (change: (list: readonly T[]) => T[]) => void;
}

/** Moves a row of a list up or down, or deletes it. */
export function RowActions<T>({ name, index, count, setList }: RowActionsProps<T>) {
  const move = (to: number) =>
    setList((list) => list.toSpliced(index, 1).toSpliced(to, 0, ...list.slice(index, index + 1)));
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
        disabled={index === 0}
        onClick={() => move(index - 1)}
      />
      <IconButton
        size="sm"
        label={`Move ${name} down`}
        icon={<ArrowDown aria-hidden />}
        disabled={index === count - 1}
        onClick={() => move(index + 1)}
      />
      <IconButton size="sm" label={`Delete ${name}`} icon={<Trash2 aria-hidden />} onClick={remove} />
    </>
  );
}
