import { useRef } from 'react';
import type { UsageDimension, UsageReport } from '../../../src/usage/usage.ts';
import { useAgents } from '../../api/queries.ts';
import { centWords, shortCount } from '../../parts/runs/usage-words.ts';
import { classes } from '../../ui/classes.ts';
import { durationName } from '../../ui/duration-name.ts';
import { formatCount } from '../../ui/format-count.ts';
import { fadingEnd, useActiveInView } from '../../ui/use-active-in-view.ts';
import { PriceLink, PriceLinks } from './price-links.tsx';

export const dimensionNames = { agent: 'Agent', model: 'Model', client: 'Client', member: 'Member' } as const;
const noneNames = { agent: 'No agent', model: 'No model', client: 'No client key', member: 'No member' } as const;

/** Returns how to name a group, by its key. */
export function useGroupName(): (by: UsageDimension, key: string) => string {
  const names = new Map(useAgents().data?.agents.map(({ id, name }) => [id, name]));
  return (by, key) => (key === '' ? noneNames[by] : by === 'agent' ? (names.get(key) ?? key) : key);
}

export interface UsageTableProps {
  report: UsageReport;
  /** Called with the key of a group that should be shown alone. */
  onChoose: (key: string) => void;
}

/** Stays while the others scroll sideways. */
const fixedColumn = 'sticky left-0 bg-surface';

/** The sums of each group. */
export function UsageTable({ report: { by, groups, rest, total, unpricedModels }, onChoose }: UsageTableProps) {
  const nameOf = useGroupName();
  const table = useRef<HTMLElement>(null);
  useActiveInView(table, by);
  const rows = [
    ...groups.map((group) => ({ ...group, id: `group ${group.key}`, name: nameOf(by, group.key) })),
    ...(rest ? [{ ...rest, key: null, id: 'rest', name: `${rest.groups.toLocaleString('en')} more` }] : []),
    { ...total, key: null, id: 'total', name: 'Total' },
  ];
  return (
    <section
      aria-label="Usage by group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls sideways, also with the keyboard.
      tabIndex={0}
      ref={table}
      className={classes('mb-8 rounded-card border border-line bg-surface shadow-card', fadingEnd)}
    >
      <table className="w-full text-sm tabular-nums">
        <thead className="text-left text-faint text-xs">
          <tr className="whitespace-nowrap [&>th]:px-3 [&>th]:py-2 [&>th]:font-medium lg:[&>th]:px-4">
            <th scope="col" className={fixedColumn}>
              {dimensionNames[by]}
            </th>
            {['Cost', 'Calls', 'Errors', 'Tokens in', 'Tokens out'].map((name) => (
              <th key={name} scope="col" className="text-right">
                {name}
              </th>
            ))}
            <th scope="col" className="text-right" title="Half of the calls were faster">
              Median time
            </th>
            <th scope="col" className="text-right" title="95 of 100 calls were faster (p95)">
              95% within
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-line border-t">
          {rows.map((row) => (
            <tr
              key={row.id}
              className="whitespace-nowrap last:font-semibold [&>*]:px-3 [&>*]:py-2 [&>td]:text-right lg:[&>*]:px-4"
            >
              <th
                scope="row"
                className={classes(
                  fixedColumn,
                  'max-w-60 truncate text-left max-sm:max-w-36',
                  row.id === 'total' ? 'font-semibold' : 'font-normal',
                )}
              >
                {row.key === null ? (
                  row.name
                ) : (
                  <button
                    type="button"
                    data-row
                    title="Show only these calls"
                    className="max-w-full truncate rounded underline-offset-2 hover:underline"
                    onClick={() => onChoose(row.key)}
                  >
                    {row.name}
                  </button>
                )}
              </th>
              <td title={row.unpriced > 0 ? `${formatCount(row.unpriced, 'call')} at an unknown price` : undefined}>
                {row.unpriced === row.calls && row.cost === 0 ? (
                  by === 'model' && row.key !== null ? (
                    <PriceLink model={row.key}>Set price</PriceLink>
                  ) : (
                    'Unknown'
                  )
                ) : (
                  centWords(row.cost)
                )}
                {row.unpriced > 0 && row.cost > 0 && '*'}
              </td>
              <td>{row.calls.toLocaleString('en')}</td>
              <td className={row.errors > 0 ? 'text-danger' : ''}>{row.errors.toLocaleString('en')}</td>
              <td>{shortCount(row.inputTokens)}</td>
              <td>{shortCount(row.outputTokens)}</td>
              <td>{row.p50Ms === null ? '–' : durationName(row.p50Ms)}</td>
              <td>{row.p95Ms === null ? '–' : durationName(row.p95Ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest && (
        <p className="border-line border-t px-4 py-2 text-muted text-xs">
          Lists the {groups.length.toLocaleString('en')} most expensive groups. Add a filter or choose a shorter time to
          see others.
        </p>
      )}
      {total.unpriced > 0 && (
        <div className="border-line border-t px-4 py-2 text-muted text-xs">
          <p>
            {formatCount(total.unpriced, 'call with an unknown price is', 'calls with unknown prices are')} excluded. A
            price applies to later calls.
          </p>
          <PriceLinks models={unpricedModels} />
        </div>
      )}
    </section>
  );
}
