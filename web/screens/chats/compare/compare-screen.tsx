import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { useCreateChat } from '../../../api/chat-queries.ts';
import { request } from '../../../api/client.ts';
import { useAgents } from '../../../api/queries.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { useTitle } from '../../../ui/use-title.ts';
import { Composer, type ComposerProps } from '../compose/composer.tsx';
import { FailureNote } from '../failure-note.tsx';
import { failureOf } from '../use-chat-actions.ts';
import type { CompareSearch } from './compare-search.ts';
import { ComparedChat } from './compared-chat.tsx';
import { type Contestant, ContestantFields, reasonAgainst } from './contestant-fields.tsx';

const sides = ['left', 'right'] as const;
type Side = (typeof sides)[number];
const nobody: Contestant = { agentId: '', model: null };

/** Asks two agents or models the same question, side by side. Each answer is an ordinary chat, which can be continued on its own. */
export function CompareScreen() {
  useTitle('Compare');
  const navigate = useNavigate();
  const search: CompareSearch = useSearch({ from: '/chat/compare' });
  const { data, error, isPending, refetch } = useAgents();
  const agents = data?.agents ?? [];
  const names = useMemo(() => new Map(data?.agents.map((agent) => [agent.id, agent.name])), [data]);
  const create = useCreateChat();
  const [chosen, setChosen] = useState<Record<Side, Contestant>>({
    left: { ...nobody, agentId: search.with ?? '' },
    right: { ...nobody, agentId: search.with ?? '' },
  });
  const [busy, setBusy] = useState<Record<string, boolean>>({});
  const [failure, setFailure] = useState<{ code: string; message: string } | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const chats =
    search.left !== undefined && search.right !== undefined ? { left: search.left, right: search.right } : null;

  const reason = chats
    ? sides.some((side) => busy[chats[side]])
      ? 'Answering…'
      : null
    : (reasonAgainst(chosen.left, agents) ?? reasonAgainst(chosen.right, agents));

  const onSend: ComposerProps['onSend'] = async (message, files) => {
    const attachments = files.length > 0 ? { attachments: [...files] } : {};
    try {
      if (chats) {
        const body = { text: message, ...attachments };
        await Promise.all(
          sides.map((side) => request('POST /api/chats/{id}/messages', { params: { id: chats[side] }, body })),
        );
      } else {
        const begin = ({ agentId, model }: Contestant) =>
          create.mutateAsync({ agentId, message, ...(model?.trim() && { model: model.trim() }), ...attachments });
        const [left, right] = await Promise.all([begin(chosen.left), begin(chosen.right)]);
        await navigate({ to: '/chat/compare', search: { left: left.id, right: right.id } });
      }
      setFailure(null);
      return true;
    } catch (error) {
      setFailure(failureOf(error));
      return false;
    }
  };

  if (error) return <ErrorState title="The agents could not be loaded" error={error} onRetry={() => void refetch()} />;
  return (
    <div className="flex h-[calc(100dvh-var(--notices,0px))] min-h-96 flex-col max-md:h-[calc(100dvh-4rem-var(--notices,0px))]">
      <header className="flex items-center gap-3 border-line border-b px-4 py-2">
        <div className="min-w-0 flex-1">
          <h1 className="font-semibold text-base">Compare</h1>
          <p className="truncate text-muted text-xs max-sm:hidden">One question, two agents or models.</p>
        </div>
        {chats && (
          <Button size="sm" onClick={() => void navigate({ to: '/chat/compare', search: {} })}>
            New comparison
          </Button>
        )}
      </header>
      <div className="grid min-h-0 flex-1 grid-cols-1 divide-line max-md:grid-rows-2 max-md:divide-y md:grid-cols-2 md:divide-x">
        {sides.map((side) => (
          <section
            key={side}
            aria-label={side === 'left' ? 'First' : 'Second'}
            className="flex min-h-0 min-w-0 flex-col"
          >
            {chats ? (
              <ComparedChat
                id={chats[side]}
                names={names}
                onBusy={(isBusy) =>
                  setBusy((now) => (now[chats[side]] === isBusy ? now : { ...now, [chats[side]]: isBusy }))
                }
              />
            ) : (
              <div className="m-auto w-full max-w-md p-4">
                <ContestantFields
                  agents={agents}
                  isLoading={isPending}
                  value={chosen[side]}
                  onChange={(next) => setChosen({ ...chosen, [side]: next })}
                />
              </div>
            )}
          </section>
        ))}
      </div>
      <div className="mx-auto w-full max-w-3xl px-3 pt-2 pb-3 sm:px-6">
        {failure && (
          <div className="pb-2">
            <FailureNote what="Not sent" failure={failure} />
          </div>
        )}
        <Composer
          draft="compare"
          box={box}
          placeholder={chats ? 'Ask both again' : 'Ask both'}
          reason={reason}
          onSend={onSend}
          onStop={null}
        />
      </div>
    </div>
  );
}
