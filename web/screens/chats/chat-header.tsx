import { Link } from '@tanstack/react-router';
import { BrainCircuit, ChevronDown, Columns2, PanelRight } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { AgentSummary } from '../../../src/agents/agents.contract.ts';
import type { Chat } from '../../../src/chats/chat.ts';
import type { ChatChange } from '../../api/chat-queries.ts';
import { useAgent, useAgents } from '../../api/queries.ts';
import { AgentAvatar } from '../../parts/agents/agent-avatar.tsx';
import { AgentCombobox } from '../../parts/agents/agent-combobox.tsx';
import { ArgumentFields, useArguments } from '../../parts/agents/argument-fields.tsx';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { ModelField } from '../../parts/models/model-field.tsx';
import { costWords, tokenWords } from '../../parts/runs/usage-words.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { controlClass } from '../../ui/field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Popover } from '../../ui/popover.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { comparisonWith, useComparisons } from './compare/comparisons.ts';
import { FailureNote, type FailureNoteProps } from './failure-note.tsx';

type Failure = FailureNoteProps['failure'];

export interface ChatHeaderProps {
  chat: Chat;
  /** An answer is in progress, so the agent and model cannot change. */
  isBusy: boolean;
  isContextOpen: boolean;
  onContext: () => void;
  /** Resolves with why the change was refused; null if it was saved. */
  onChange: (change: ChatChange) => Promise<Failure | null>;
  menu: ReactNode;
}

/** Shows who answers, with which model, and the cost so far. */
export function ChatHeader({ chat, isBusy, isContextOpen, onContext, onChange, menu }: ChatHeaderProps) {
  const comparison = comparisonWith(useComparisons(), chat.id);
  return (
    <header className="@container flex items-center gap-1.5 border-line border-b px-3 py-1.5 sm:px-4">
      <h1 className="sr-only">{chat.title}</h1>
      <AgentSwitch chat={chat} isBusy={isBusy} onChoose={onChange} />
      <ModelSwitch
        // Starts anew when the chat or its model changes.
        key={`${chat.id} ${chat.model ?? ''}`}
        chat={chat}
        isBusy={isBusy}
        onChoose={(model) => onChange({ model })}
      />
      <span className="flex-1" />
      {chat.usage.inputTokens > 0 && (
        <p
          className="@md:block hidden shrink-0 whitespace-nowrap px-1 text-faint text-xs tabular-nums"
          title={`So far: ${tokenWords(chat.usage)} tokens`}
        >
          <span className="@3xl:inline hidden">{tokenWords(chat.usage)}</span>
          {chat.cost !== null && (
            <>
              <span className="@3xl:inline hidden"> · </span>
              {costWords(chat.cost)}
            </>
          )}
        </p>
      )}
      <span className="flex shrink-0 items-center">
        {comparison && (
          <Tooltip label="Open comparison">
            <Link
              to="/chat/compare"
              search={comparison}
              aria-label="Open comparison"
              className={classes(buttonClass({ variant: 'ghost' }), 'px-2!')}
            >
              <Columns2 aria-hidden />
            </Link>
          </Tooltip>
        )}
        <IconButton
          label={isContextOpen ? 'Hide context' : 'Show context'}
          aria-pressed={isContextOpen}
          icon={<PanelRight aria-hidden />}
          onClick={onContext}
        />
        {menu}
      </span>
    </header>
  );
}

interface ModelSwitchProps {
  chat: Chat;
  isBusy: boolean;
  onChoose: (model: string | null) => Promise<Failure | null>;
}

/** Chooses the model for the next answers. A refused name stays in the field, with the reason. */
export function ModelSwitch({ chat, isBusy, onChoose }: ModelSwitchProps) {
  const agentModel = useAgent(chat.agentId).data?.model ?? null;
  const [isOpen, setIsOpen] = useState(false);
  const draft = useFormDraft(`chat-model/${chat.id}`, { model: chat.model }, { base: chat.model ?? '' });
  const typed = draft.value.model;
  const [failure, setFailure] = useState<Failure | null>(null);
  const choose = async (model: string | null) => {
    const refused = model === chat.model ? null : await onChoose(model);
    setFailure(refused);
    if (refused !== null) return;
    draft.discard();
    setIsOpen(false);
  };
  const shown = chat.model ?? agentModel;
  return (
    <Popover
      title="Model"
      open={isOpen}
      onOpenChange={(open) => {
        setIsOpen(open);
        setFailure(null);
      }}
      trigger={
        <button
          type="button"
          aria-label={`Model: ${shown ?? 'default'}`}
          disabled={isBusy}
          title={isBusy ? 'You can change this when the answer is finished' : 'Model for the next answer'}
          className={switchClass}
        >
          <BrainCircuit aria-hidden className="text-faint" />
          <span className="truncate font-mono font-normal text-xs">{shown ?? 'default model'}</span>
          <ChevronDown aria-hidden className="text-faint" />
        </button>
      }
    >
      <form
        className="flex w-72 max-w-full flex-col gap-2.5"
        onSubmit={(event) => {
          event.preventDefault();
          void choose(typed?.trim() || null);
        }}
      >
        <p className="font-medium text-sm">Model</p>
        <ModelField
          value={typed}
          isInvalid={false}
          readOnly={false}
          placeholder={agentModel ?? 'provider/model'}
          onChange={(next) => {
            draft.set({ model: next });
            setFailure(null);
          }}
          className={classes(controlClass, 'h-8 px-2.5 font-mono text-xs max-md:h-10')}
        />
        <DraftNote draft={draft} />
        {failure && <FailureNote what="Not saved" failure={failure} />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" size="sm" variant="primary">
            Use model
          </Button>
          {chat.model !== null && (
            <Button size="sm" onClick={() => void choose(null)}>
              Use agent default
            </Button>
          )}
        </div>
        <p className="text-faint text-xs">Applies to the next answers in this chat.</p>
      </form>
    </Popover>
  );
}

interface AgentSwitchProps {
  chat: Chat;
  isBusy: boolean;
  onChoose: (change: Pick<ChatChange, 'agentId' | 'arguments'>) => Promise<Failure | null>;
}

/** Chooses who answers the next message. Arguments of its prompt are asked for first. */
export function AgentSwitch({ chat, isBusy, onChoose }: AgentSwitchProps) {
  const { data } = useAgents();
  const [isOpen, setIsOpen] = useState(false);
  const [nextId, setNextId] = useState<string | null>(null);
  const agent = data?.agents.find((each) => each.id === chat.agentId);
  const next = data?.agents.find((each) => each.id === nextId);
  const show = (open: boolean) => {
    setIsOpen(open);
    setNextId(null);
  };
  const choose = (change: Pick<ChatChange, 'agentId' | 'arguments'>) => {
    show(false);
    return onChoose(change);
  };
  return (
    <Popover
      title="Agent"
      open={isOpen}
      onOpenChange={show}
      trigger={
        <button
          type="button"
          aria-label={`Agent: ${agent?.name ?? chat.agentId}`}
          disabled={isBusy}
          title={isBusy ? 'You can change this when the answer is finished' : 'Choose who answers'}
          className={switchClass}
        >
          <AgentAvatar id={chat.agentId} size={22} />
          <span className={classes('truncate', data && !agent && 'text-danger')}>{agent?.name ?? chat.agentId}</span>
          <ChevronDown aria-hidden className="text-faint" />
        </button>
      }
    >
      <div className="flex w-72 max-w-full flex-col gap-2.5">
        <AgentCombobox
          label="Answered by"
          value={next?.id ?? chat.agentId}
          onChange={(id) => {
            const chosen = data?.agents.find((each) => each.id === id);
            if (!chosen || id === chat.agentId) setNextId(null);
            else if (chosen.argumentCount > 0) setNextId(id);
            else void choose({ agentId: id });
          }}
        />
        {next ? (
          <NextArguments
            key={next.id}
            chatId={chat.id}
            agent={next}
            onChoose={(values) => choose({ agentId: next.id, ...(values && { arguments: values }) })}
          />
        ) : (
          <>
            <p className="text-faint text-xs">Answers your next message. The conversation so far stays.</p>
            {agent && (
              <Link to="/a/$id" params={{ id: agent.id }} className={buttonClass({ size: 'sm' })}>
                Open {agent.name}
              </Link>
            )}
          </>
        )}
      </div>
    </Popover>
  );
}

interface NextArgumentsProps {
  chatId: string;
  agent: AgentSummary;
  /** Resolves with why the change was refused; null if it was saved. */
  onChoose: (values: Record<string, string> | undefined) => Promise<Failure | null>;
}

function NextArguments({ chatId, agent, onChoose }: NextArgumentsProps) {
  const { agent: loaded, fields, missing, filled, forget } = useArguments(agent.id, `chat/${chatId}`);
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    if (missing.length > 0 || !loaded.data) return;
    if ((await onChoose(filled)) === null) forget();
  };
  if (!loaded.data)
    return loaded.error ? (
      <ErrorState title="The agent could not be loaded" error={loaded.error} onRetry={() => void loaded.refetch()} />
    ) : (
      <Skeleton className="h-14 w-full" />
    );
  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)} className="flex flex-col gap-2.5">
      <div className="-mx-1 flex max-h-[40dvh] flex-col gap-2.5 overflow-y-auto px-1 pb-1">
        <ArgumentFields {...fields} />
      </div>
      <Button type="submit" size="sm" variant="primary" disabled={missing.length > 0}>
        <span className="truncate">Continue with {agent.name}</span>
      </Button>
      <p role="status" className="text-faint text-xs">
        {missing.length > 0
          ? `Fill in ${missing.join(', ')} first.`
          : 'Answers your next message. The conversation so far stays.'}
      </p>
    </form>
  );
}

/** The look of a header button that shows the current choice and opens the others. */
const switchClass = classes(
  buttonClass({ variant: 'ghost' }),
  'min-w-0 shrink! px-2! text-text! data-popup-open:bg-pressed',
);
