import { ArrowLeftRight, RotateCcw } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { AgentDetail, AgentVersionSummary } from '../../../../src/agents/agents.contract.ts';
import { useVersion } from '../../../api/queries.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Field } from '../../../ui/field.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Select } from '../../../ui/select.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { ChangesView } from './changes-view.tsx';
import { toDraft } from './draft.ts';
import { formatTime } from './format-time.ts';

export interface CompareVersionsProps {
  saved: AgentDetail;
  /** Newest first. */
  versions: readonly AgentVersionSummary[];
  restoring: boolean;
  onRestore: (revision: number) => void;
}

/** Shows what changed between any two versions, the latest two at first. */
export function CompareVersions({ saved, versions, restoring, onRestore }: CompareVersionsProps) {
  const [chosen, setChosen] = useState({
    older: versions[1]?.revision ?? versions[0]?.revision ?? 0,
    newer: versions[0]?.revision ?? 0,
  });
  const options = useMemo(
    () =>
      versions.map(({ revision, at }) => ({
        value: String(revision),
        label: `v${revision}${revision === saved.revision ? ' (current)' : ''}, ${formatTime(at)}`,
      })),
    [versions, saved.revision],
  );
  const older = useVersion(saved.id, chosen.older);
  const newer = useVersion(saved.id, chosen.newer);
  const failed = [older, newer].find((each) => each.isError);
  return (
    <section aria-label="Compare two versions" className="rounded-card border border-line bg-surface p-3.5 shadow-card">
      <div className="mb-3.5 flex flex-wrap items-end gap-2">
        <Field label="From" className="min-w-0 flex-1 basis-48">
          {({ id }) => (
            <Select
              id={id}
              label="From version"
              value={String(chosen.older)}
              options={options}
              onChange={(revision) => setChosen({ ...chosen, older: Number(revision) })}
              className="w-full"
            />
          )}
        </Field>
        <IconButton
          label="Swap versions"
          icon={<ArrowLeftRight aria-hidden />}
          onClick={() => setChosen({ older: chosen.newer, newer: chosen.older })}
        />
        <Field label="To" className="min-w-0 flex-1 basis-48">
          {({ id }) => (
            <Select
              id={id}
              label="To version"
              value={String(chosen.newer)}
              options={options}
              onChange={(revision) => setChosen({ ...chosen, newer: Number(revision) })}
              className="w-full"
            />
          )}
        </Field>
      </div>
      {failed ? (
        <ErrorState
          title="A version could not be loaded"
          error={failed.error}
          onRetry={() => void Promise.all([older.refetch(), newer.refetch()])}
        />
      ) : older.data && newer.data ? (
        <ChangesView
          before={toDraft(older.data.agent)}
          after={toDraft(newer.data.agent)}
          sameText={
            chosen.older === chosen.newer ? 'Choose two different versions.' : 'These versions have the same content.'
          }
        />
      ) : (
        <div role="status" aria-busy="true" aria-label="Loading the versions">
          <Skeleton className="h-20 w-full" />
        </div>
      )}
      {saved.editable && (
        <div className="mt-3.5 flex flex-wrap justify-end gap-2">
          {[...new Set([chosen.older, chosen.newer])]
            .filter((revision) => revision !== saved.revision)
            .map((revision) => (
              <Button
                key={revision}
                icon={<RotateCcw aria-hidden />}
                busy={restoring}
                onClick={() => onRestore(revision)}
              >
                Restore v{revision}
              </Button>
            ))}
        </div>
      )}
    </section>
  );
}
