import { useTask } from '../../api/work-queries.ts';

/** A task by its name; by its id while the name is not known, or when it is gone. */
export function TaskTitle({ id }: { id: string }) {
  const { data } = useTask(id);
  return <span title={id}>{data?.title ?? id}</span>;
}
