import { AgentAvatar } from '../../parts/agents/agent-avatar.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Select } from '../../ui/select.tsx';
import { useTypedText } from '../../ui/use-typed-text.ts';
import type { RunSearch, RunSpan } from './run-search.ts';
import { type RunState, stateNames } from './run-words.ts';

export interface RunFiltersProps {
  search: RunSearch;
  /** The names of the agents by id. */
  names: ReadonlyMap<string, string>;
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

export function RunFilters({ search, names, onChange }: RunFiltersProps) {
  const [typed, setTyped] = useTypedText(search.text ?? '', (text) => onChange({ text: text || undefined }));
  const { agent } = search;
  const ids = agent !== undefined && !names.has(agent) ? [...names.keys(), agent] : [...names.keys()];
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <SearchField
        label="Search runs"
        placeholder="Search runs"
        value={typed}
        onChange={setTyped}
        className="min-w-48 flex-1"
      />
      <Select
        label="Agent"
        value={agent ?? ''}
        options={[
          { value: '', label: 'All agents' },
          ...ids.map((id) => ({ value: id, label: names.get(id) ?? id, icon: <AgentAvatar id={id} size={18} /> })),
        ]}
        onChange={(next) => onChange({ agent: next || undefined })}
        className="max-w-52"
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
    </div>
  );
}
