import { useEpics } from '../../../api/work-queries.ts';
import { Select } from '../../../ui/select.tsx';

export interface EpicSelectProps {
  /** The epic's id; empty for none. */
  value: string;
  onChange: (id: string) => void;
  className?: string;
  id?: string;
}

/** Chooses an open epic. */
export function EpicSelect({ value, ...rest }: EpicSelectProps) {
  const epics = (useEpics().data ?? []).filter(
    ({ id, state }) => id === value || (state !== 'COMPLETED' && state !== 'CANCELLED'),
  );
  const isUnknown = value !== '' && !epics.some(({ id }) => id === value);
  return (
    <Select
      {...rest}
      label="Epic"
      value={value}
      options={[
        { value: '', label: 'No epic' },
        ...epics.map(({ id, title }) => ({ value: id, label: title })),
        ...(isUnknown ? [{ value, label: value }] : []),
      ]}
    />
  );
}
