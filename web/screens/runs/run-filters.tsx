import { AgentCombobox } from '../../parts/agents/agent-combobox.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Select } from '../../ui/select.tsx';
import { useTypedText } from '../../ui/use-typed-text.ts';
import type { CalledFilter, RunSearch, RunSpan } from './run-search.ts';
import { type RunState, stateNames } from './run-words.ts';

export interface RunFiltersProps {
  search: RunSearch;
  /** An undefined value removes the filter. */
  onChange: (next: { [key in keyof RunSearch]?: RunSearch[key] | undefined }) => void;
}

const times = [
  { value: '', label: 'Any time' },
  { value: 'hour', label: 'Last hour' },
  { value: 'day', label: 'Last 24 hours' },
  { value: 'week', label: 'Last 7 days' },
  { value: 'month', label: 'Last 30 days' },
] as const satisfies readonly { value: RunSpan | ''; label: string }[];

const calledFilters = [
  { value: '', label: 'Top-level runs' },
  { value: 'show', label: 'With called runs' },
  { value: 'only', label: 'Only called runs' },
] as const satisfies readonly { value: CalledFilter | ''; label: string }[];

export function RunFilters({ search, onChange }: RunFiltersProps) {
  const [typed, setTyped] = useTypedText(search.text ?? '', (text) => onChange({ text: text || undefined }));
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2 max-sm:grid max-sm:grid-cols-2 max-sm:[&>search]:col-span-2">
      <SearchField
        label="Search runs"
        placeholder="Search runs"
        value={typed}
        onChange={setTyped}
        className="min-w-48 flex-1 max-lg:basis-full"
      />
      <AgentCombobox
        label="Agent"
        hideLabel
        none="All agents"
        value={search.agent ?? ''}
        onChange={(next) => onChange({ agent: next || undefined })}
        className="w-52 max-sm:w-auto"
      />
      <Select
        label="State"
        value={search.state ?? ''}
        options={[
          { value: '', label: 'All states' },
          ...(Object.keys(stateNames) as RunState[]).map((state) => ({ value: state, label: stateNames[state] })),
        ]}
        onChange={(state) => onChange({ state: state || undefined })}
      />
      <Select
        label="Time"
        value={search.last ?? ''}
        options={times}
        onChange={(last) => onChange({ last: last || undefined })}
      />
      <Select
        label="Called runs"
        value={search.called ?? ''}
        options={calledFilters}
        onChange={(called) => onChange({ called: called || undefined })}
      />
    </div>
  );
}
