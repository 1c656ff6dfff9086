import { CircleAlert } from 'lucide-react';
import { serverLimits } from '../../../src/servers/server-definition.ts';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Input } from '../../ui/input.tsx';
import { TextareaField } from '../../ui/textarea.tsx';
import { locationOfServer, transportNames } from './describe-server.ts';
import { plainInput, secretHint } from './server-fields.tsx';
import type { PastedServer, PastedServers } from './use-pasted-servers.ts';

const example = `{
  "mcpServers": {
    "memory": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"] }
  }
}`;

/** Reads another client's JSON and previews its servers before adding them. */
export function PasteServers({ pasted }: { pasted: PastedServers }) {
  return (
    <>
      <DraftNote draft={pasted.draft} />
      <TextareaField
        label="JSON"
        hint={`Paste the config of Claude, Cursor or VS Code. ${secretHint}`}
        placeholder={example}
        {...plainInput}
        rows={7}
        value={pasted.text}
        error={pasted.problem}
        inputClass="max-h-48 font-mono text-xs! leading-5"
        onChange={(event) => pasted.setText(event.currentTarget.value)}
      />
      {pasted.isChecking && (
        <p role="status" aria-busy="true" className="text-muted text-sm">
          Checking which names are taken…
        </p>
      )}
      {pasted.servers.length > 0 && (
        <section aria-label="Recognized servers" className="flex flex-col gap-1.5">
          <h3 className="font-medium text-sm">
            {pasted.servers.length === 1 ? '1 server found' : `${pasted.servers.length} servers found`}
          </h3>
          <ul className="divide-y divide-line rounded-xl border border-line">
            {pasted.servers.map((server) => (
              <PastedRow key={server.key} server={server} pasted={pasted} />
            ))}
          </ul>
        </section>
      )}
      {pasted.problems.length > 0 && (
        <ul
          aria-label="Problems"
          className="flex flex-col gap-1 rounded-xl bg-warn-soft px-3.5 py-2.5 text-sm text-warn"
        >
          {pasted.problems.map(({ name, message }) => (
            <li key={`${name} ${message}`} className="flex items-start gap-2">
              <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
              <span className="min-w-0 break-words">
                <strong className="font-medium">{name}: </strong>
                {message}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function PastedRow({ server, pasted }: { server: PastedServer; pasted: PastedServers }) {
  return (
    <li aria-label={server.key} className="flex items-start gap-2.5 px-3 py-2.5">
      <Checkbox
        aria-label={`Add ${server.name}`}
        className="mt-2"
        checked={server.isChosen}
        onChange={(event) => pasted.change(server.key, { isChosen: event.currentTarget.checked })}
      />
      <div className="min-w-0 flex-1">
        <Input
          aria-label={`Name of ${server.key}`}
          {...plainInput}
          maxLength={serverLimits.name}
          value={server.name}
          aria-invalid={server.problem !== null && server.isChosen ? true : undefined}
          onChange={(event) => pasted.change(server.key, { name: event.currentTarget.value })}
          className="max-w-64 font-medium"
        />
        <p className="mt-1 line-clamp-2 break-all font-mono text-faint text-xs">
          {locationOfServer(server.definition)}
        </p>
        {server.problem !== null && (
          <p
            role={server.isChosen ? 'alert' : undefined}
            className={server.isChosen ? 'mt-0.5 text-danger text-xs' : 'mt-0.5 text-muted text-xs'}
          >
            {server.problem}
            {!server.isChosen && ' Rename it to add it.'}
          </p>
        )}
      </div>
      <span className="mt-1.5 whitespace-nowrap text-faint text-xs max-sm:hidden">
        {transportNames[server.definition.transport]}
      </span>
    </li>
  );
}
