import { Link } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useCreateChat } from '../../../api/chat-queries.ts';
import { useDefaultModel } from '../../../api/provider-queries.ts';
import { useAgents } from '../../../api/queries.ts';
import { AgentAvatar } from '../../../parts/agents/agent-avatar.tsx';
import { AgentCombobox } from '../../../parts/agents/agent-combobox.tsx';
import { useFormDraft } from '../../../parts/drafts/use-form-draft.ts';
import { ModelField } from '../../../parts/models/model-field.tsx';
import { AgentArguments, reasonToWait, useRunArguments } from '../../../parts/runs/agent-arguments.tsx';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { controlClass, Field } from '../../../ui/field.tsx';
import { useTitle } from '../../../ui/use-title.ts';
import { FailureNote } from '../failure-note.tsx';
import { failureOf } from '../use-chat-actions.ts';
import { Composer, type ComposerProps } from './composer.tsx';
import { FirstModel } from './first-model.tsx';
import { suggestionsFor } from './suggestions.ts';
import { toInput, useAttachments } from './use-attachments.ts';

export interface NewChatProps {
  /** Undefined until an agent is chosen. */
  agentId: string | undefined;
  onAgent: (agentId: string) => void;
  onCreated: (chatId: string) => void;
}

type NewMessage = Parameters<ComposerProps['onSend']>;

/** Starts a chat: choose an agent, optionally a model and arguments, and write the first message. */
export function NewChat({ agentId = '', onAgent, onCreated }: NewChatProps) {
  useTitle('New chat');
  const { data, error, refetch } = useAgents();
  const agents = data?.agents ?? [];
  const given = useRunArguments(agentId, 'chat/new');
  const { agent, filled, forget } = given;
  const create = useCreateChat();
  const model = useFormDraft('chat/new/model', '');
  const attachments = useAttachments('new');
  const [failure, setFailure] = useState<{ code: string; message: string } | null>(null);
  const { data: defaultModel, errorUpdateCount } = useDefaultModel();
  /** A message that waits for a model. The composer keeps its text until `settle` says whether it was sent. */
  const waiting = useRef<{ message: NewMessage; settle: (isSent: boolean) => void } | null>(null);
  const [isWaiting, setIsWaiting] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const agentInput = useRef<HTMLInputElement>(null);
  const isChosen = agents.some((each) => each.id === agentId);
  useEffect(() => {
    if (agentId === '') agentInput.current?.focus({ preventScroll: true });
  }, [agentId]);

  const reason = isChosen ? reasonToWait(given) : 'Choose an agent first.';
  const typedModel = model.value.trim() || undefined;
  const namesModel = typedModel !== undefined || Boolean(agent.data?.model);
  // The hub knows whether there is a default model while this page does not.
  const hasModel = namesModel || defaultModel?.model !== null;
  // Also while it is asked again.
  const isUnknown = !namesModel && !defaultModel && errorUpdateCount > 0;
  const needsModel =
    isChosen && agent.data !== undefined && (!hasModel || isUnknown || failure?.code === 'not_configured');
  const takeWaiting = () => {
    const { current } = waiting;
    waiting.current = null;
    setIsWaiting(false);
    return current;
  };
  const stopWaiting = () => takeWaiting()?.settle(false);
  /** One message waits at a time: the last one. */
  const waitForModel: ComposerProps['onSend'] = (...message) => {
    stopWaiting();
    return new Promise((settle) => {
      waiting.current = { message, settle };
      setIsWaiting(true);
    });
  };
  const start: ComposerProps['onSend'] = (...message) =>
    hasModel ? send(message, typedModel) : waitForModel(...message);
  const send = async ([message, files]: NewMessage, chosen: string | undefined): Promise<boolean> => {
    try {
      const chat = await create.mutateAsync({
        agentId,
        message,
        ...(files.length > 0 && { attachments: [...files] }),
        ...(chosen !== undefined && { model: chosen }),
        ...(filled && { arguments: filled }),
      });
      forget();
      model.forget();
      onCreated(chat.id);
      return true;
    } catch (error) {
      const reported = failureOf(error);
      setFailure(reported);
      return reported.code === 'not_configured' ? waitForModel(message, files) : false;
    }
  };
  /** Sends a suggestion with the files that are attached already. */
  const suggest = async (text: string) => {
    const { files } = attachments;
    if (await start(text, toInput(files))) attachments.remove(files);
  };
  const goOn = async (answered: string) => {
    setFailure(null);
    // An agent that names a model keeps it if it works now.
    const wanted = typedModel ?? agent.data?.model ?? undefined;
    const chosen = wanted === undefined || wanted.split('/')[0] === answered.split('/')[0] ? undefined : answered;
    if (chosen !== undefined) model.set(chosen);
    const next = takeWaiting();
    if (next === null) return box.current?.focus();
    next.settle(await send(next.message, chosen ?? typedModel));
  };

  if (error)
    return <ErrorState level={1} title="The agents could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (data && agents.length === 0)
    return (
      <EmptyState
        level={1}
        art={<MessagesSquare className="size-10" strokeWidth={1.5} />}
        title="No agents yet"
        actions={
          <Link to="/new" className={buttonClass({ variant: 'primary' })}>
            New agent
          </Link>
        }
      >
        Create or import an agent to start chatting.
      </EmptyState>
    );
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <div className="m-auto flex w-full max-w-2xl flex-col gap-4 px-4 py-8 sm:px-6">
        <div className="flex items-center gap-3">
          {isChosen ? (
            <AgentAvatar id={agentId} size={44} />
          ) : (
            <span className="flex size-11 items-center justify-center rounded-full bg-accent-soft text-accent-text">
              <MessagesSquare aria-hidden className="size-5" />
            </span>
          )}
          <div className="min-w-0">
            <h1 className="line-clamp-3 font-semibold text-xl leading-7 [overflow-wrap:anywhere]">
              {isChosen && agent.data ? `Talk to ${agent.data.name}` : 'New chat'}
            </h1>
            <p className="line-clamp-2 text-pretty text-muted text-sm">
              {isChosen && agent.data
                ? agent.data.description || agent.data.id
                : 'Choose an agent, then write your first message.'}
            </p>
          </div>
        </div>
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <AgentCombobox
            label="Agent"
            value={agentId}
            inputRef={agentInput}
            onChange={(id) => {
              setFailure(null);
              stopWaiting();
              onAgent(id);
              if (id !== '') box.current?.focus();
            }}
          />
          <Field
            label="Model"
            hint={
              agent.data?.model || !isChosen
                ? undefined
                : defaultModel?.model
                  ? `Leave empty to use the default model, ${defaultModel.model}.`
                  : defaultModel && 'Neither this agent nor the hub has a model yet.'
            }
          >
            {() => (
              <ModelField
                value={model.value || null}
                isInvalid={false}
                readOnly={false}
                placeholder={(isChosen && agent.data?.model) || 'provider/model'}
                onChange={(next) => {
                  stopWaiting();
                  model.set(next ?? '');
                }}
                className={classes(controlClass, 'h-8 px-2.5 font-mono text-xs max-md:h-10')}
              />
            )}
          </Field>
        </div>
        {isChosen && <AgentArguments given={given} />}
        {failure && <FailureNote what="Not sent" failure={failure} />}
        {needsModel && (
          <FirstModel
            wanted={hasModel ? (typedModel ?? agent.data?.model ?? null) : null}
            isWaiting={isWaiting}
            onModel={goOn}
          />
        )}
        <Composer
          draft="new"
          box={box}
          attachments={attachments}
          placeholder={isChosen ? `Message ${agent.data?.name ?? agentId}` : 'Your message'}
          reason={reason}
          onSend={start}
          onStop={null}
        />
        {isChosen && agent.data && reason === null && (
          <ul aria-label="Suggestions" className="flex flex-wrap gap-2">
            {suggestionsFor(agent.data).map((text) => (
              <li key={text}>
                <Button size="sm" disabled={create.isPending} onClick={() => void suggest(text)}>
                  {text}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
