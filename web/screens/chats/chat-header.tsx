import { BrainCircuit, ChevronDown, PanelRight } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import type { Chat } from '../../../src/chats/chat.ts';
import type { ChatChange } from '../../api/chat-queries.ts';
import { useAgent } from '../../api/queries.ts';
import { ModelField } from '../../parts/models/model-field.tsx';
import { costWords, tokenWords } from '../../parts/runs/usage-words.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { controlClass } from '../../ui/field.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Popover } from '../../ui/popover.tsx';
import { AgentSwitch } from './agent-switch.tsx';
import { switchClass } from './switch-class.ts';

export interface ChatHeaderProps {
  chat: Chat;
  /** The agent and the model are those of the next answer; while one is under way they stay. */
  isBusy: boolean;
  isContextOpen: boolean;
  onContext: () => void;
  onChange: (change: ChatChange) => void;
  menu: ReactNode;
}

/** Who answers, with which model, and what it cost so far. */
export function ChatHeader({ chat, isBusy, isContextOpen, onContext, onChange, menu }: ChatHeaderProps) {
  return (
    <header className="@container flex items-center gap-1.5 border-line border-b px-3 py-1.5 sm:px-4">
      <h1 className="sr-only">{chat.title}</h1>
      <AgentSwitch chat={chat} isBusy={isBusy} onChoose={onChange} />
      <ModelSwitch
        // What is typed belongs to the chat and the model it began with.
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
        <IconButton
          label={isContextOpen ? 'Hide the context' : 'Show the context'}
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
  onChoose: (model: string | null) => void;
}

function ModelSwitch({ chat, isBusy, onChoose }: ModelSwitchProps) {
  const own = useAgent(chat.agentId).data?.model ?? null;
  const [isOpen, setIsOpen] = useState(false);
  const [typed, setTyped] = useState(chat.model);
  const form = useRef<HTMLFormElement>(null);
  const choose = (model: string | null) => {
    setIsOpen(false);
    if (model !== chat.model) onChoose(model);
  };
  const shown = chat.model ?? own;
  return (
    <Popover
      title="Model"
      open={isOpen}
      onOpenChange={(open) => {
        setIsOpen(open);
        setTyped(chat.model);
      }}
      trigger={
        <button
          type="button"
          aria-label={`Model: ${shown ?? 'the default'}`}
          disabled={isBusy}
          title={isBusy ? 'It can be changed when the answer has ended' : 'The model of the next answer'}
          className={switchClass}
        >
          <BrainCircuit aria-hidden className="text-faint" />
          <span className="truncate font-mono font-normal text-xs">{shown ?? 'default model'}</span>
          <ChevronDown aria-hidden className="text-faint" />
        </button>
      }
    >
      <form
        ref={form}
        className="flex w-72 flex-col gap-2.5"
        onSubmit={(event) => {
          event.preventDefault();
          choose(typed?.trim() || null);
        }}
      >
        <p className="font-medium text-sm">Model</p>
        <ModelField
          value={typed}
          isInvalid={false}
          readOnly={false}
          placeholder={own ?? 'provider/model'}
          onChange={setTyped}
          className={classes(controlClass, 'h-8 px-2.5 font-mono text-xs max-md:h-10')}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" size="sm" variant="primary">
            Use it
          </Button>
          {chat.model !== null && (
            <Button size="sm" onClick={() => choose(null)}>
              Use the agent's own
            </Button>
          )}
        </div>
        <p className="text-faint text-xs">For the next answers of this chat.</p>
      </form>
    </Popover>
  );
}
