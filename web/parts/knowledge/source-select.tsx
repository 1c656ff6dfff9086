import type { SourceInfo } from '../../../src/knowledge/knowledge.ts';
import { Select } from '../../ui/select.tsx';
import { sourceLooks } from './source-look.tsx';

export interface SourceSelectProps {
  /** A source such as `git:runbooks`, or empty for all. */
  value: string;
  sources: readonly SourceInfo[];
  onChange: (source: string) => void;
  disabled?: boolean;
  className?: string;
  id?: string;
}

export function SourceSelect({ value, sources, onChange, ...rest }: SourceSelectProps) {
  const isUnknown = value !== '' && !sources.some((each) => each.source === value);
  return (
    <Select
      {...rest}
      label="Source"
      value={value}
      onChange={onChange}
      options={[
        { value: '', label: 'All sources' },
        ...sources.map(({ source, name, type }) => {
          const Icon = sourceLooks[type].icon;
          return { value: source, label: name, icon: <Icon aria-hidden className="size-3.5 text-faint" /> };
        }),
        // A bare name, a type, or a source that no longer exists.
        ...(isUnknown ? [{ value, label: value }] : []),
      ]}
    />
  );
}
