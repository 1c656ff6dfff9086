import { Link } from '@tanstack/react-router';
import { ArrowUpRight, OctagonAlert, TriangleAlert } from 'lucide-react';
import type { Escalation } from '../../../src/team/mail/mail.ts';
import { Badge } from '../../ui/badge.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';

export function EscalationBadge({ isCritical, count }: { isCritical: boolean; count: number }) {
  return (
    <>
      {isCritical ? (
        <Badge tone="danger" icon={<OctagonAlert aria-hidden />}>
          Critical
        </Badge>
      ) : (
        <Badge tone="warn" icon={<TriangleAlert aria-hidden />}>
          Escalation
        </Badge>
      )}
      {count > 1 && (
        <Badge tone={isCritical ? 'danger' : 'warn'} title={`The same failure, ${count} times`}>
          ×{count}
        </Badge>
      )}
    </>
  );
}

/** Shows what failed and how often, and links to the call in the log. */
export function EscalationCard({ escalation }: { escalation: Escalation }) {
  const { tool, code, callId, count, isCritical, lastAt } = escalation;
  return (
    <section
      aria-label="Escalation"
      className={classes(
        'mb-3 rounded-xl border px-3.5 py-3',
        isCritical ? 'border-danger/35 bg-danger-soft' : 'border-warn/35 bg-warn-soft',
      )}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span
          className={classes(
            'flex items-center gap-1.5 font-semibold text-sm [&>svg]:size-4',
            isCritical ? 'text-danger' : 'text-warn',
          )}
        >
          {isCritical ? <OctagonAlert aria-hidden /> : <TriangleAlert aria-hidden />}
          {isCritical ? 'A critical call failed' : 'A call failed'}
        </span>
        <Link
          to="/decisions"
          search={{ callId }}
          className={classes(buttonClass({ size: 'sm' }), 'ml-auto')}
          title={`Call ${callId}`}
        >
          View call
          <ArrowUpRight aria-hidden />
        </Link>
      </div>
      <dl className="mt-2 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-xs [&_dt]:text-muted">
        <dt>Tool</dt>
        <dd className="break-all font-mono">{tool}</dd>
        <dt>Error</dt>
        <dd className="break-all font-mono">{code}</dd>
        <dt>Call</dt>
        <dd className="break-all font-mono">{callId}</dd>
        {count > 1 && (
          <>
            <dt>Occurred</dt>
            <dd>
              {count.toLocaleString('en')} times, last <RelativeTime at={lastAt} />
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}
