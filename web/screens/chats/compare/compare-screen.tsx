import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useCreateChat } from '../../../api/chat-queries.ts';
import { request } from '../../../api/client.ts';
import { useAgents } from '../../../api/queries.ts';
import { useFormDraft } from '../../../parts/drafts/use-form-draft.ts';
import { useRunArguments } from '../../../parts/runs/agent-arguments.tsx';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { ErrorBanner } from '../../../ui/error-banner.tsx';
import { useTitle } from '../../../ui/use-title.ts';
import type { ChatState } from '../chat-state.ts';
import { Composer, type ComposerProps } from '../compose/composer.tsx';
import { useAttachments } from '../compose/use-attachments.ts';
import { FailureNote } from '../failure-note.tsx';
import { type AnswerKeys, useAnswerKeys } from '../use-chat-keys.ts';
import { askSides, type Delivery, type Side, type SideFailure, sides } from './ask-sides.ts';
import type { CompareSearch } from './compare-search.ts';
import { ComparedChat } from './compared-chat.tsx';
import { noteComparison } from './comparisons.ts';
import { type Contestant, ContestantFields, reasonAgainst } from './contestant-fields.tsx';
import { EarlierComparisons } from './earlier-comparisons.tsx';

/** Asks two agents or models the same question, side by side. Each answer is an ordinary chat, which can be continued on its own. */
export function CompareScreen() {
  useTitle('Compare');
  const navigate = useNavigate();
  const search: CompareSearch = useSearch({ from: '/chat/compare' });
  const { data, error, refetch } = useAgents();
  const agents = data?.agents ?? [];
  const names = useMemo(() => data && new Map(data.agents.map((agent) => [agent.id, agent.name])), [data]);
  const create = useCreateChat();
  const [first] = useState<Contestant>({ agentId: search.with ?? '', model: '' });
  const contestants = useFormDraft<Record<Side, Contestant>>(`chat/compare/contestants/${first.agentId}`, {
    left: first,
    right: first,
  });
  const { value: chosen } = contestants;
  const given = {
    left: useRunArguments(chosen.left.agentId, 'chat/compare/left'),
    right: useRunArguments(chosen.right.agentId, 'chat/compare/right'),
  };
  const attachments = useAttachments('compare');
  const [states, setStates] = useState<Readonly<Record<string, ChatState | 'gone'>>>({});
  const controls = useRef(new Map<string, AnswerKeys>());
  /** The last message, as long as one side has not got it. */
  const delivery = useRef<Delivery | null>(null);
  const [failures, setFailures] = useState<readonly SideFailure[]>([]);
  const box = useRef<HTMLTextAreaElement>(null);

  const chats = sides.flatMap((side) => search[side] ?? []);
  const { left, right } = search;
  const isThere = [left, right].every((id) => id !== undefined && states[id] !== undefined && states[id] !== 'gone');
  useEffect(() => {
    if (isThere && left !== undefined && right !== undefined) noteComparison({ left, right });
  }, [isThere, left, right]);
  const busy = chats.filter((id) => states[id] === 'answering' || states[id] === 'waiting');
  const asking = chats.find((id) => states[id] === 'waiting');
  const stop = busy.length > 0 ? () => busy.forEach((id) => void controls.current.get(id)?.stop?.()) : null;
  useAnswerKeys({
    stop,
    decide: asking === undefined ? null : (answer) => controls.current.get(asking)?.decide?.(answer),
  });
  const follow = useCallback((id: string, state: ChatState | 'gone', keys: AnswerKeys) => {
    controls.current.set(id, keys);
    setStates((now) => (now[id] === state ? now : { ...now, [id]: state }));
  }, []);

  // A side that answers already does not keep the other one from getting the message.
  const isRetry = failures.length > 0;
  const reason = chats.some((id) => states[id] === 'gone')
    ? 'One chat is gone. Choose another agent.'
    : asking !== undefined && !isRetry
      ? 'A call needs your approval.'
      : busy.length > 0 && !isRetry
        ? 'Answering…'
        : (sides
            .filter((side) => search[side] === undefined)
            .map((side) => reasonAgainst(chosen[side], given[side], agents))
            .find((each) => each !== null) ?? null);

  const onSend: ComposerProps['onSend'] = async (message, files) => {
    const withFiles = files.length > 0 ? { attachments: [...files] } : {};
    const begun: CompareSearch = {};
    const ask = async (side: Side) => {
      const id = search[side];
      if (id !== undefined) {
        await request('POST /api/chats/{id}/messages', { params: { id }, body: { text: message, ...withFiles } });
        return;
      }
      const { agentId, model } = chosen[side];
      const { filled, forget } = given[side];
      const chat = await create.mutateAsync({
        agentId,
        message,
        ...(model.trim() && { model: model.trim() }),
        ...(filled && { arguments: filled }),
        ...withFiles,
      });
      begun[side] = chat.id;
      forget();
    };
    const key = JSON.stringify([message, files.map(({ name, data }) => [name, data.length])]);
    const result = await askSides(key, delivery.current, ask);
    delivery.current = result.failures.length > 0 ? result.delivery : null;
    setFailures(result.failures);
    if (result.failures.length === 0) contestants.forget();
    // A chat that has begun stays on its side, whatever the other one does.
    if (Object.keys(begun).length > 0) {
      await navigate({
        to: '/chat/compare',
        search: { ...(left !== undefined && { left }), ...(right !== undefined && { right }), ...begun },
      });
    }
    return result.failures.length === 0;
  };
  const startAgain = () => {
    delivery.current = null;
    setFailures([]);
    void navigate({ to: '/chat/compare', search: {} });
  };

  return (
    <div className="flex h-[calc(100dvh-var(--notices,0px))] min-h-96 flex-col max-md:h-[calc(100dvh-4rem-var(--notices,0px))]">
      <header className="flex items-center gap-3 border-line border-b px-4 py-2">
        <div className="min-w-0 flex-1">
          <h1 className="font-semibold text-base">Compare</h1>
          <p className="truncate text-muted text-xs max-sm:hidden">One question, two agents or models.</p>
        </div>
        {chats.length > 0 && (
          <Button size="sm" onClick={startAgain}>
            New comparison
          </Button>
        )}
      </header>
      {chats.length === 0 && <EarlierComparisons />}
      {error && (
        <div className="p-4">
          <ErrorBanner title="The agents could not be loaded." error={error} onRetry={() => void refetch()} />
        </div>
      )}
      <div
        className={classes(
          'grid min-h-0 flex-1 grid-cols-1 divide-line max-md:divide-y md:grid-cols-2 md:divide-x',
          chats.length === 0 ? 'max-md:auto-rows-max max-md:overflow-y-auto' : 'max-md:grid-rows-2',
        )}
      >
        {sides.map((side) => (
          <section
            key={side}
            aria-label={side === 'left' ? 'First' : 'Second'}
            className="flex min-h-0 min-w-0 flex-col"
          >
            {search[side] === undefined ? (
              <div className="m-auto max-h-full w-full max-w-md overflow-y-auto p-4">
                <ContestantFields
                  value={chosen[side]}
                  given={given[side]}
                  onChange={(next) => contestants.set((before) => ({ ...before, [side]: next }))}
                />
              </div>
            ) : (
              <ComparedChat
                key={search[side]}
                id={search[side]}
                names={names}
                hasKeys={search[side] === asking}
                onState={follow}
                onReplace={() => {
                  const { [side]: _gone, ...kept } = search;
                  void navigate({ to: '/chat/compare', search: kept, replace: true });
                }}
              />
            )}
          </section>
        ))}
      </div>
      <div className="mx-auto w-full max-w-3xl px-3 pt-2 pb-3 sm:px-6">
        {failures.map(({ side, ...failure }) => (
          <div key={side} className="pb-2">
            <FailureNote what={`Not sent to the ${sideNames[side]}`} failure={failure} />
          </div>
        ))}
        <Composer
          draft="compare"
          box={box}
          attachments={attachments}
          placeholder={chats.length > 0 ? 'Ask both again' : 'Ask both'}
          reason={reason}
          reasonKeys={
            asking !== undefined ? 'Press Esc to go to it.' : busy.length > 0 ? 'Press Esc to stop.' : undefined
          }
          onSend={onSend}
          onStop={isRetry ? null : stop}
        />
      </div>
    </div>
  );
}

const sideNames: Record<Side, string> = { left: 'first', right: 'second' };
