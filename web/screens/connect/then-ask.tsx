import { Link } from '@tanstack/react-router';
import type { AgentSummary } from '../../../src/agents/agents.contract.ts';
import { matchesAnyGlob } from '../../../src/base/glob.ts';
import type { ConnectBody } from '../../../src/http/hub.contract.ts';
import { useFirstSteps } from '../../api/inbox-queries.ts';
import { AgentAvatar } from '../../parts/agents/agent-avatar.tsx';
import { injectInstruction } from '../../parts/agents/inject-instruction.ts';
import { ConnectedClient } from '../../parts/inbox/connected-client.tsx';
import { CodeText } from '../../ui/code-text.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';

/** Suggests what to ask once the client is connected. */
export function ThenAsk({ agent, others }: { agent: AgentSummary | undefined; others: readonly AgentSummary[] }) {
  const example = agent ?? others.find((each) => each.editable) ?? others[0];
  // A connection to one agent has only the tools in its scope and already contains its prompt.
  const hasInject = !agent || matchesAnyGlob(agent.tools, 'agent_zoo_inject');
  const sentences = [
    ...(agent ? [] : ['Which agents are in my zoo?']),
    ...(agent && !hasInject
      ? [`Work as ${agent.name}, as this server tells you.`]
      : example
        ? [`Become my ${example.name}.`, injectInstruction(example.id)]
        : []),
  ];
  return (
    <section aria-labelledby="then-ask" className="rounded-card border border-line bg-surface p-5 shadow-card">
      <div className="flex items-center gap-3">
        <AgentAvatar id={example?.id ?? 'code-reviewer'} size={36} />
        <div>
          <h2 id="then-ask" className="font-semibold text-base">
            Then just ask
          </h2>
          <p className="text-muted text-sm">
            Say {sentences.length === 1 ? 'this' : 'one of these'} in a chat with the client.
          </p>
        </div>
      </div>
      <ul className="mt-4 flex flex-col gap-2">
        {sentences.map((sentence) => (
          <li
            key={sentence}
            className="flex items-center gap-2 rounded-xl rounded-bl-sm bg-accent-soft py-1.5 pr-1.5 pl-3.5 text-sm"
          >
            <span className="min-w-0 flex-1 break-words">{sentence}</span>
            <CopyButton iconOnly label={`Copy “${sentence}”`} text={sentence} />
          </li>
        ))}
      </ul>
      <p className="mt-3 text-muted text-xs">
        {example ? (
          'In clients with MCP prompts, you can also pick an agent from the prompt menu.'
        ) : (
          <>
            No agents yet.{' '}
            <Link to="/new" className="rounded text-accent-text underline underline-offset-2 hover:decoration-2">
              Create one
            </Link>
            , then ask for it by name.
          </>
        )}
      </p>
    </section>
  );
}

/** The maximum number of other clients to show. */
const maxOthers = 3;

/** Connection details for clients that are not in the list, and those that have connected. */
export function AnyOtherClient({ hub }: { hub: ConnectBody }) {
  const { data: steps } = useFirstSteps();
  const others = steps?.clients.filter(({ clientId }) => clientId === null).slice(0, maxOthers) ?? [];
  const command = [hub.command, ...hub.args].join(' ');
  const rows = [
    { label: 'Streamable HTTP', text: hub.url },
    { label: 'stdio', text: command },
  ];
  return (
    <section aria-labelledby="any-other" className="rounded-card border border-line bg-surface p-5 shadow-card">
      <h2 id="any-other" className="font-semibold text-base">
        Any other client
      </h2>
      <p className="text-pretty text-muted text-sm">
        Any MCP client can connect with one of these. Over HTTP, it sends a key from the{' '}
        <Link to="/access" className="rounded text-accent-text underline underline-offset-2 hover:decoration-2">
          Access page
        </Link>{' '}
        as <code className="font-mono text-xs">Authorization: Bearer KEY</code>.
      </p>
      <div className="mt-4 flex flex-col gap-3">
        {rows.map((row) => (
          <div key={row.label}>
            <p className="mb-1 text-faint text-xs">{row.label}</p>
            <div className="flex items-start gap-1 rounded-xl border border-line bg-sunken/60 pr-1.5">
              <div className="min-w-0 flex-1">
                <CodeText text={row.text} wrap />
              </div>
              <div className="pt-1.5">
                <CopyButton iconOnly label={`Copy ${row.label}`} text={row.text} />
              </div>
            </div>
          </div>
        ))}
      </div>
      {others.length > 0 && (
        <ul aria-label="Other connected clients" className="mt-4 flex flex-col gap-1 text-accent-text text-sm">
          {others.map((client) => (
            <li key={client.name} className="[overflow-wrap:anywhere]">
              <ConnectedClient client={client} />, <RelativeTime at={new Date(client.at).toISOString()} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
