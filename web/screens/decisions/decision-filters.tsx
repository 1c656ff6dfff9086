import { Search, SlidersHorizontal, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { userId } from '../../../src/base/user-id.ts';
import { useDecisionTools } from '../../api/decision-queries.ts';
import { useMembers } from '../../api/team-queries.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Input } from '../../ui/input.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Select } from '../../ui/select.tsx';
import { useTypedText } from '../../ui/use-typed-text.ts';
import { type DecisionSearch, isFiltered } from './decision-search.ts';
import { decisionKindNames } from './kind-names.ts';
import { spanName } from './time-names.ts';

export interface DecisionFiltersProps {
  search: DecisionSearch;
  /** An undefined value removes the filter. */
  onChange: (next: { [key in keyof DecisionSearch]?: DecisionSearch[key] | undefined }) => void;
  onClear: () => void;
}

const times = [
  { value: '', label: 'Any time' },
  { value: 'hour', label: 'Last hour' },
  { value: 'day', label: 'Last 24 hours' },
  { value: 'week', label: 'Last 7 days' },
  { value: 'custom', label: 'Custom range…' },
] as const;

/** Search and filters. On a phone, the filters collapse. */
export function DecisionFilters({ search, onChange, onClear }: DecisionFiltersProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [isCustom, setIsCustom] = useState(false);
  const members = useMembers();
  const tools = useDecisionTools();
  const hasSpan = search.since !== undefined || search.until !== undefined;
  const chosenTime = hasSpan || isCustom ? 'custom' : (search.last ?? '');
  const count = [search.agentId, search.tool, search.kind, search.last ?? hasSpan].filter(Boolean).length;
  const memberIds = withChosen([userId, ...(members.data?.members.map((member) => member.id) ?? [])], search.agentId);
  return (
    <div className="@container mb-4 flex flex-wrap items-center gap-2">
      <SearchText text={search.text ?? ''} onChange={(text) => onChange({ text: text === '' ? undefined : text })} />
      <Button
        className="sm:hidden"
        icon={<SlidersHorizontal aria-hidden />}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {count > 0 ? `Filters (${count})` : 'Filters'}
      </Button>
      <div className={classes('contents', !isOpen && 'max-sm:hidden')}>
        <Select
          label="Time"
          value={chosenTime}
          options={times}
          onChange={(value) => {
            setIsCustom(value === 'custom');
            if (value === 'custom') onChange({ last: undefined });
            else onChange({ last: value || undefined, since: undefined, until: undefined });
          }}
          className="max-sm:w-full"
        />
        <Select
          label="Member"
          value={search.agentId ?? ''}
          options={[{ value: '', label: 'All members' }, ...memberIds.map((id) => ({ value: id, label: nameOf(id) }))]}
          onChange={(agentId) => onChange({ agentId: agentId || undefined })}
          className="max-w-44 max-sm:w-full max-sm:max-w-none"
        />
        <Select
          label="Tool"
          value={search.tool ?? ''}
          options={[
            { value: '', label: 'All tools' },
            ...withChosen(tools.data ?? [], search.tool).map((tool) => ({ value: tool, label: tool })),
          ]}
          onChange={(tool) => onChange({ tool: tool || undefined })}
          className="max-w-56 max-sm:w-full max-sm:max-w-none"
        />
        <Select
          label="Kind"
          value={search.kind ?? ''}
          options={[
            { value: '', label: 'All kinds' },
            { value: 'invocation', label: 'Calls' },
            { value: 'result', label: 'Results' },
            { value: 'error', label: 'Errors' },
            { value: 'manual', label: 'Notes' },
            { value: 'act', label: 'Changes' },
          ]}
          onChange={(kind) => onChange({ kind: kind || undefined })}
          className="max-sm:w-full"
        />
        {chosenTime === 'custom' && (
          <TimeFields
            key={`${search.since} ${search.until}`}
            since={search.since}
            until={search.until}
            onChange={(span) => onChange({ last: undefined, ...span })}
          />
        )}
      </div>
      {isFiltered(search) && (
        <ul aria-label="Active filters" className="flex w-full flex-wrap items-center gap-1.5">
          {hasSpan && (
            <Chip
              name="Time"
              onRemove={() => {
                setIsCustom(false);
                onChange({ since: undefined, until: undefined });
              }}
            >
              {spanName(momentOf(search.since), momentOf(search.until))}
            </Chip>
          )}
          {search.last && (
            <Chip name="Time" onRemove={() => onChange({ last: undefined })}>
              {times.find((time) => time.value === search.last)?.label}
            </Chip>
          )}
          {search.agentId && (
            <Chip name="Member" onRemove={() => onChange({ agentId: undefined })}>
              {nameOf(search.agentId)}
            </Chip>
          )}
          {search.tool && (
            <Chip name="Tool" onRemove={() => onChange({ tool: undefined })}>
              {search.tool}
            </Chip>
          )}
          {search.kind && (
            <Chip name="Kind" onRemove={() => onChange({ kind: undefined })}>
              {decisionKindNames[search.kind]}
            </Chip>
          )}
          {search.taskId && (
            <Chip name="Task" onRemove={() => onChange({ taskId: undefined })}>
              {search.taskId}
            </Chip>
          )}
          {search.callId && (
            <Chip name="Call" onRemove={() => onChange({ callId: undefined })}>
              {search.callId}
            </Chip>
          )}
          {search.text && (
            <Chip name="Text" onRemove={() => onChange({ text: undefined })}>
              {search.text}
            </Chip>
          )}
          <li>
            <Button
              variant="ghost"
              size="sm"
              onClick={() => {
                setIsCustom(false);
                onClear();
              }}
            >
              Clear all
            </Button>
          </li>
        </ul>
      )}
    </div>
  );
}

function Chip({ name, onRemove, children }: { name: string; onRemove: () => void; children: ReactNode }) {
  return (
    <li className="inline-flex h-7 min-w-0 max-w-full items-center rounded-full border border-line bg-raised pl-2.5 text-xs max-md:h-8">
      <span className="mr-1 text-faint">{name}</span>
      <span className="min-w-0 max-w-60 truncate">{children}</span>
      <button
        type="button"
        aria-label={`Remove filter: ${name}`}
        onClick={onRemove}
        className="ml-0.5 inline-flex size-6 items-center justify-center rounded-full text-faint hover:text-text max-md:size-8"
      >
        <X aria-hidden className="size-3.5" />
      </button>
    </li>
  );
}

function SearchText({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useTypedText(text, onChange);
  return (
    <search className="relative min-w-0 flex-1 basis-44 @max-xl:sm:basis-full">
      <Search
        aria-hidden
        className="-translate-y-1/2 pointer-events-none absolute top-1/2 left-2.5 size-4 text-faint"
      />
      <Input
        type="search"
        aria-label="Search the log"
        placeholder="Search the log"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          if (typed) setTyped('');
          else event.currentTarget.blur();
        }}
        className="px-8! [&::-webkit-search-cancel-button]:hidden"
      />
      {!typed && (
        <span aria-hidden className="-translate-y-1/2 absolute top-1/2 right-2 max-md:hidden">
          <Kbd>/</Kbd>
        </span>
      )}
    </search>
  );
}

function withChosen(names: readonly string[], chosen: string | undefined): string[] {
  return chosen === undefined || names.includes(chosen) ? [...names] : [...names, chosen];
}

function momentOf(at: string | undefined): number | undefined {
  return at === undefined ? undefined : Date.parse(at);
}

interface TimeFieldsProps {
  since: string | undefined;
  until: string | undefined;
  onChange: (span: { since: string | undefined; until: string | undefined }) => void;
}

/** A time range in the user's time zone. It applies on submit, so that half a date has no effect. */
function TimeFields({ since, until, onChange }: TimeFieldsProps) {
  const [from, setFrom] = useState(toLocal(since));
  const [to, setTo] = useState(toLocal(until));
  const isBackwards = from !== '' && to !== '' && from > to;
  const isChanged = from !== toLocal(since) || to !== toLocal(until);
  return (
    <form
      className="flex w-full flex-wrap items-center gap-2 text-muted text-xs"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBackwards) onChange({ since: toIso(from), until: toIso(to) });
      }}
    >
      <Input
        type="datetime-local"
        aria-label="From"
        value={from}
        max={to || undefined}
        onChange={(event) => setFrom(event.currentTarget.value)}
        className="w-52! max-sm:w-full!"
      />
      until
      <Input
        type="datetime-local"
        aria-label="Until"
        value={to}
        min={from || undefined}
        aria-invalid={isBackwards || undefined}
        onChange={(event) => setTo(event.currentTarget.value)}
        className="w-52! max-sm:w-full!"
      />
      <Button type="submit" size="sm" disabled={!isChanged || isBackwards}>
        Apply
      </Button>
      {isBackwards && (
        <span role="alert" className="text-danger">
          The end must be after the start.
        </span>
      )}
    </form>
  );
}

/** Formats a time for a `datetime-local` field: 2026-01-31T14:05. */
function toLocal(iso: string | undefined): string {
  if (iso === undefined) return '';
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function toIso(local: string): string | undefined {
  return local === '' ? undefined : new Date(local).toISOString();
}

function nameOf(memberId: string): string {
  return memberId === userId ? 'You' : memberId;
}
