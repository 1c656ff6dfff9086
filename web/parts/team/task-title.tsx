import { useTask } from '../../api/work-queries.ts';

/** Shows a task's title, or its id while loading or after deletion. */
export function TaskTitle({ id }: { id: string }) {
  const { data } = useTask(id);
  return <span title={id}>{data?.title ?? id}</span>;
}
