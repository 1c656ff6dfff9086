import { CircleAlert, CircleCheck, CircleHelp } from 'lucide-react';
import type { ReactNode } from 'react';
import type { VerifyBody } from '../../../src/decisions/decisions.contract.ts';
import { useVerifiedLog } from '../../api/decision-queries.ts';
import { Button } from '../../ui/button.tsx';
import { exactTime } from '../../ui/day-names.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { Skeleton } from '../../ui/skeleton.tsx';

/** Verifies the log when it opens, and says what that proves. */
export function VerifyDialog({ onClose }: { onClose: () => void }) {
  const { data, error, isFetching, refetch } = useVerifiedLog();
  return (
    <Dialog
      open
      onClose={onClose}
      title="Verify the log"
      description="Checks that no entry was changed or deleted."
      size="lg"
      footer={
        <>
          {(data || isFetching) && (
            <Button onClick={() => void refetch()} busy={isFetching}>
              {data ? 'Verify again' : 'Verifying…'}
            </Button>
          )}
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      {isFetching ? (
        <div role="status" aria-busy="true" aria-label="Reading the whole log" className="flex flex-col gap-3">
          <p className="text-muted text-sm">Reading the whole log. This may take a while.</p>
          <Skeleton className="h-4 w-2/3" />
          <Skeleton className="h-4 w-1/2" />
        </div>
      ) : data ? (
        <Report report={data} />
      ) : (
        <ErrorState title="The log could not be verified" error={error} onRetry={() => void refetch()} />
      )}
    </Dialog>
  );
}

function Report({ report: { rows, chains, problems, proven, unproven } }: { report: VerifyBody }) {
  const isWhole = problems.length === 0;
  const Icon = isWhole ? CircleCheck : CircleAlert;
  return (
    <div className="flex flex-col gap-4 text-sm">
      <p role="status" className="flex items-start gap-2 font-medium">
        <Icon aria-hidden className={`mt-0.5 size-4.5 shrink-0 ${isWhole ? 'text-accent-text' : 'text-danger'}`} />
        {isWhole
          ? `No changes found in ${formatCount(rows, 'entry', 'entries')} of ${formatCount(chains, 'chain')}.`
          : `The log was changed: ${formatCount(problems.length, 'problem')} found in ${formatCount(rows, 'entry', 'entries')}.`}
      </p>
      <Sentences title="Problems" icon={<CircleAlert aria-hidden className="text-danger" />}>
        {problems.map(({ message }) => message)}
      </Sentences>
      {!isWhole && (
        <p className="text-pretty">
          Keep a copy of the database as it is now, compare these entries with a backup or an export of the log, and
          find out who can write to the database.
        </p>
      )}
      <Sentences title="Proven" icon={<CircleCheck aria-hidden className="text-accent-text" />}>
        {proven}
      </Sentences>
      <Sentences title="Not proven" icon={<CircleHelp aria-hidden className="text-warn" />}>
        {unproven}
      </Sentences>
    </div>
  );
}

/** The hub names times in UTC. */
const isoTime = /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g;

function Sentences({ title, icon, children }: { title: string; icon: ReactNode; children: readonly string[] }) {
  if (children.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className="mb-1.5 font-semibold text-muted text-xs">{title}</h3>
      <ul className="flex flex-col gap-2">
        {children.map((sentence) => (
          <li key={sentence} className="flex gap-2 [&_svg]:mt-0.5 [&_svg]:size-4 [&_svg]:shrink-0">
            {icon}
            <span className="min-w-0 text-pretty [overflow-wrap:anywhere]">
              {sentence.replaceAll(isoTime, (at) => exactTime(at))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
