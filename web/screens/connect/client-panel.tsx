import { ExternalLink, Info } from 'lucide-react';
import { useState } from 'react';
import type { ConnectBody, ConnectClient } from '../../../src/http/hub.contract.ts';
import { buttonClass } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { ClientMark } from './client-mark.tsx';
import { Snippet } from './snippet.tsx';
import { snippetsByTransport, type Transport } from './snippet-transport.ts';

const ways: Record<Transport, { label: string; about: string }> = {
  http: { label: 'HTTP', about: 'The client calls this hub, which has to be running.' },
  stdio: {
    label: 'stdio',
    about: 'The client starts the hub itself, over the same agents. Nothing has to be running.',
  },
};

/** Everything to connect one client: the link that does it, or the text that does. */
export function ClientPanel({ client, hub }: { client: ConnectClient; hub: ConnectBody }) {
  const grouped = snippetsByTransport(client.snippets, hub);
  const [wanted, setWanted] = useState<Transport>('http');
  const transport = grouped.has(wanted) ? wanted : (grouped.keys().next().value ?? 'http');
  return (
    <section aria-labelledby="client-name" className="rounded-card border border-line bg-surface p-5 shadow-card">
      <header className="flex flex-wrap items-center gap-3">
        <ClientMark id={client.id} name={client.name} size="lg" />
        <div className="min-w-0 flex-1 basis-40">
          <h2 id="client-name" className="font-semibold text-lg leading-6">
            {client.name}
          </h2>
          <p className="text-muted text-sm">
            {client.link ? 'One click, or paste it yourself.' : 'Paste this, and it is connected.'}
          </p>
        </div>
        {client.link && (
          <a href={client.link} className={classes(buttonClass({ variant: 'primary' }), 'max-sm:w-full')}>
            <ExternalLink aria-hidden />
            Add to {client.name}
          </a>
        )}
      </header>
      <div className="mt-5 mb-3 flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <fieldset className="flex gap-0.5 rounded-lg border border-line bg-sunken p-0.5">
          <legend className="sr-only">Transport</legend>
          {(['http', 'stdio'] as const).map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === transport}
              disabled={!grouped.has(each)}
              onClick={() => setWanted(each)}
              className={classes(
                'h-6.5 rounded-md px-2.5 text-xs transition-colors disabled:opacity-40 max-md:h-8.5',
                each === transport ? 'bg-raised font-medium shadow-card' : 'text-muted hover:text-text',
              )}
            >
              {ways[each].label}
            </button>
          ))}
        </fieldset>
        <p className="min-w-0 flex-1 basis-60 text-muted text-xs">{ways[transport].about}</p>
      </div>
      <div className="flex flex-col gap-3">
        {(grouped.get(transport) ?? []).map((snippet) => (
          <Snippet key={`${client.id} ${snippet.title}`} snippet={snippet} />
        ))}
      </div>
      {client.note && (
        <p className="mt-4 flex items-start gap-2 text-muted text-sm">
          <Info aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
          {client.note}
        </p>
      )}
    </section>
  );
}
