import { Layers } from 'lucide-react';
import { Fragment } from 'react';
import type { ServerSummary } from '../../../src/servers/servers.contract.ts';
import type { ServerVersion } from '../../../src/servers/servers.ts';
import { versionWords } from '../../../src/servers/version-words.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { hasReplicas, replicaHere } from './describe-server.ts';

/** Says in one line which processes see which versions: "2.1.0 on web-1, 2.0.3 on web-2". Shows nothing if there is one. */
export function VersionsMark({ server }: { server: Pick<ServerSummary, 'versions'> }) {
  if (!hasReplicas(server)) return null;
  return (
    <span className="inline-flex min-w-0 items-center gap-1 [overflow-wrap:anywhere]">
      <Layers aria-hidden className="size-3.5 shrink-0" />
      <span>
        <VersionList versions={server.versions} />
      </span>
    </span>
  );
}

/** Explains which process's connection, tools and counts the screen shows. */
export function VersionsNote({ server }: { server: Pick<ServerSummary, 'versions'> }) {
  if (!hasReplicas(server)) return null;
  const here = replicaHere(server);
  return (
    <section
      aria-label="Versions"
      className="rounded-lg bg-sunken/60 px-3 py-2 text-muted text-xs [overflow-wrap:anywhere] sm:ml-13"
    >
      <p className="font-medium text-text">
        <VersionList versions={server.versions} />
      </p>
      <p className="mt-0.5">
        {here === null
          ? 'This page comes from a process that has not connected to the server yet.'
          : `This page shows the state, tools and log of ${here}.`}{' '}
        Connect, Disconnect and Reconnect affect all processes.
      </p>
    </section>
  );
}

function VersionList({ versions }: { versions: readonly ServerVersion[] }) {
  return versions.map((version, index) => (
    <Fragment key={version.version}>
      {index > 0 && '; '}
      <ForeignText text={versionWords(version)} />
    </Fragment>
  ));
}
