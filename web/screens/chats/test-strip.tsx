import { Link } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import type { Chat } from '../../../src/chats/chat.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Folding } from '../../ui/folding.tsx';
import { JsonView } from '../../ui/json-view.tsx';

/** Of a chat that tests a tool: which one, with what, and the way back to it. */
export function TestStrip({ chat }: { chat: Chat }) {
  if (chat.origin.kind !== 'test') return null;
  const { tool, parameters } = chat.origin;
  return (
    <section
      aria-label="Test"
      className="flex items-start gap-2 border-line border-b bg-violet-soft/60 px-3 py-1 sm:px-4"
    >
      <FlaskConical aria-hidden className="mt-2 size-4 shrink-0 text-violet max-md:mt-3" />
      <div className="min-w-0 flex-1">
        <Folding
          summary={
            <span className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-sm">
              <span>
                Test of <span className="ml-0.5 font-mono text-xs">{tool}</span>
              </span>
              <span className="min-w-0 truncate font-mono text-faint text-xs">{JSON.stringify(parameters)}</span>
            </span>
          }
        >
          <JsonView value={parameters} label={`Parameters of ${tool}`} />
        </Folding>
      </div>
      <Link
        to="/a/$id"
        params={{ id: chat.agentId }}
        search={{ tab: 'offered-tools', tool }}
        className={`${buttonClass({ size: 'sm' })} mt-0.5`}
      >
        Back to the tool
      </Link>
    </section>
  );
}
