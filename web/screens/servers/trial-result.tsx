import { CircleAlert, CircleCheck } from 'lucide-react';
import type { RefCallback } from 'react';
import { descriptionOf } from '../../../src/servers/remote-tool.ts';
import type { ServerTrial } from '../../../src/servers/servers.ts';
import { ApiError } from '../../api/client.ts';
import { errorText } from '../../ui/error-state.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { formatCount } from '../../ui/format-count.ts';

/** What a test of the connection brought, the failure as much as the tools. */
export function TrialResult({ trial, error }: { trial: ServerTrial | undefined; error: unknown }) {
  if (error) return <Failure error={error} />;
  if (!trial) return null;
  return (
    <section ref={comeIntoView} aria-label="Test of the connection" className="rounded-xl bg-accent-soft p-3.5 text-sm">
      <p role="status" className="flex items-start gap-2 font-medium text-accent-text">
        <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span className="min-w-0 break-words">
          Connected in {seconds(trial.durationMs)} and found {formatCount(trial.tools.length, 'tool')}.
        </span>
      </p>
      <p className="mt-0.5 pl-6 text-muted text-xs">
        <ForeignText text={`${trial.serverName} ${trial.serverVersion}`} /> · protocol {trial.protocolVersion}
      </p>
      {trial.tools.length > 0 && (
        <ul aria-label="Tools found" className="mt-2 flex max-h-40 flex-wrap gap-1 overflow-y-auto pl-6">
          {trial.tools.map((tool) => (
            <li
              key={tool.name}
              title={descriptionOf(tool)}
              className="break-all rounded-md bg-raised px-1.5 py-0.5 font-mono text-2xs"
            >
              <ForeignText text={tool.name} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Failure({ error }: { error: unknown }) {
  const needsSignIn = error instanceof ApiError && error.code === 'sign_in_required';
  return (
    <section
      ref={comeIntoView}
      role="alert"
      aria-label="Test of the connection"
      className={
        needsSignIn
          ? 'rounded-xl bg-warn-soft p-3.5 text-sm text-warn'
          : 'rounded-xl bg-danger-soft p-3.5 text-danger text-sm'
      }
    >
      <p className="flex items-start gap-2">
        <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
          {needsSignIn
            ? `The server answers and wants you to sign in. Add it, then choose “Sign in”. (${errorText(error)})`
            : errorText(error)}
        </span>
      </p>
    </section>
  );
}

/** It may stand below the edge of the dialog. */
const comeIntoView: RefCallback<HTMLElement> = (element) => element?.scrollIntoView({ block: 'nearest' });

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
