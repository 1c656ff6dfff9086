import { Dialog } from '@base-ui/react/dialog';
import { type NavigateOptions, useNavigate } from '@tanstack/react-router';
import { Command, defaultFilter } from 'cmdk';
import {
  BookOpen,
  CircleHelp,
  FileSearch,
  Files,
  FolderPlus,
  ListPlus,
  type LucideIcon,
  MailPlus,
  MessagesSquare,
  MoonStar,
  Plug,
  Plus,
  Search,
  ServerCog,
  UserRoundPlus,
} from 'lucide-react';
import { Fragment, type ReactNode, useEffect, useRef, useState } from 'react';
import { useAgents, useTemplates } from '../api/queries.ts';
import { AgentAvatar } from '../parts/agents/agent-avatar.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { toggleTheme } from '../ui/theme.ts';
import { type Screen, screens } from './screens.ts';

/** Actions, listed below the screen they belong to. */
const screenActions: {
  on: Screen['to'];
  label: string;
  icon: LucideIcon;
  keywords: string[];
  target: NavigateOptions;
}[] = [
  {
    on: '/knowledge',
    label: 'Add folder',
    icon: FolderPlus,
    keywords: ['knowledge', 'source'],
    target: { to: '/knowledge', search: { add: 'folder' } },
  },
  {
    on: '/knowledge',
    label: 'Add repository',
    icon: FolderPlus,
    keywords: ['knowledge', 'source', 'git'],
    target: { to: '/knowledge', search: { add: 'repository' } },
  },
  {
    on: '/knowledge',
    label: 'Browse documents',
    icon: Files,
    keywords: ['knowledge'],
    target: { to: '/knowledge/documents' },
  },
  {
    on: '/team',
    label: 'New task',
    icon: ListPlus,
    keywords: ['team', 'create'],
    target: { to: '/team', search: { add: true } },
  },
  {
    on: '/team',
    label: 'Add member',
    icon: UserRoundPlus,
    keywords: ['team', 'token', 'worker', 'supervisor'],
    target: { to: '/team/members', search: { add: true } },
  },
  {
    on: '/mail',
    label: 'New mail',
    icon: MailPlus,
    keywords: ['mail', 'compose', 'send'],
    target: { to: '/mail', search: { to: '' } },
  },
  {
    on: '/servers',
    label: 'Add server',
    icon: ServerCog,
    keywords: ['mcp', 'external', 'import', 'json'],
    target: { to: '/servers', search: { add: 'command' } },
  },
];

export interface CommandPaletteProps {
  onClose: () => void;
  onHelp: () => void;
}

/** More rows slow the list down. */
const maxAgents = 300;
const searchKnowledge = 'search the knowledge base';

/** Always offers the knowledge search, ranked below every match by name. */
const filter: typeof defaultFilter = (value, search, keywords) =>
  value === searchKnowledge ? 0.000_01 : (defaultFilter?.(value, search, keywords) ?? 0);

export function CommandPalette({ onClose, onHelp }: CommandPaletteProps) {
  const navigate = useNavigate();
  const agents = useAgents().data?.agents ?? [];
  const templates = useTemplates().data ?? [];
  const [typed, setTyped] = useState('');
  const words = typed.trim();
  const list = useRef<HTMLDivElement>(null);
  // cmdk scrolls to where the selected item was before it was sorted to the top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each keystroke
  useEffect(() => {
    const frame = requestAnimationFrame(() => list.current?.scrollTo({ top: 0 }));
    return () => cancelAnimationFrame(frame);
  }, [typed]);
  const run = (action: () => void) => () => {
    onClose();
    action();
  };

  return (
    <Dialog.Root open onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Popup
          aria-label="Command palette"
          className="-translate-x-1/2 fixed top-[12dvh] left-1/2 z-40 w-[calc(100vw-1.5rem)] max-w-xl overflow-hidden rounded-2xl border border-line bg-surface shadow-pop outline-none"
        >
          <Command label="Command palette" loop filter={filter}>
            <div className="flex items-center gap-2.5 border-line border-b px-4">
              <Search aria-hidden className="size-4 shrink-0 text-faint" />
              <Command.Input
                autoFocus
                value={typed}
                onValueChange={setTyped}
                placeholder="Search agents and actions…"
                className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none max-md:text-[16px]"
              />
              <Kbd>Esc</Kbd>
            </div>
            <Command.List ref={list} className="max-h-[min(55dvh,26rem)] scroll-py-2 overflow-y-auto p-2">
              <Command.Empty className="py-10 text-center text-muted text-sm">
                No results. Try another word.
              </Command.Empty>
              {agents.length > 0 && (
                <Group heading="Agents">
                  {agents.slice(0, maxAgents).map((agent) => (
                    <Item
                      key={agent.id}
                      value={`agent ${agent.id}`}
                      keywords={[agent.name, agent.description]}
                      icon={<AgentAvatar id={agent.id} size={22} />}
                      hint={agent.id}
                      onSelect={run(() => void navigate({ to: '/a/$id', params: { id: agent.id } }))}
                    >
                      {agent.name}
                    </Item>
                  ))}
                </Group>
              )}
              <Group heading="Actions">
                {screens.map(({ to, label, command = label, icon: Icon, shortcut, keywords }) => (
                  <Fragment key={to}>
                    <Item
                      icon={<Icon aria-hidden />}
                      keywords={keywords}
                      onSelect={run(() => void navigate({ to }))}
                      {...(shortcut && { keys: shortcut })}
                    >
                      {command}
                    </Item>
                    {screenActions
                      .filter((action) => action.on === to)
                      .map((action) => (
                        <Item
                          key={action.label}
                          icon={<action.icon aria-hidden />}
                          keywords={action.keywords}
                          onSelect={run(() => void navigate(action.target))}
                        >
                          {action.label}
                        </Item>
                      ))}
                  </Fragment>
                ))}
                <Item icon={<MoonStar aria-hidden />} keywords={['theme', 'dark', 'light']} onSelect={run(toggleTheme)}>
                  Toggle theme
                </Item>
                <Item icon={<BookOpen aria-hidden />} onSelect={run(() => window.location.assign('/docs'))}>
                  Open API docs
                </Item>
                <Item icon={<CircleHelp aria-hidden />} keys="?" onSelect={run(onHelp)}>
                  Keyboard shortcuts
                </Item>
              </Group>
              <Group heading="New from template">
                {templates.map((template) => (
                  <Item
                    key={template.id}
                    value={`template ${template.id}`}
                    keywords={[template.name, template.category]}
                    icon={<Plus aria-hidden />}
                    hint={template.category}
                    onSelect={run(() => void navigate({ to: '/new', search: { template: template.id } }))}
                  >
                    {template.name}
                  </Item>
                ))}
              </Group>
              <Group heading="Chat with an agent">
                {agents.slice(0, maxAgents).map((agent) => (
                  <Item
                    key={agent.id}
                    value={`chat ${agent.id}`}
                    keywords={['chat', 'talk', agent.name]}
                    icon={<MessagesSquare aria-hidden />}
                    onSelect={run(() => void navigate({ to: '/chat', search: { with: agent.id } }))}
                  >
                    {`Chat with ${agent.name}`}
                  </Item>
                ))}
              </Group>
              <Group heading="Connect an agent">
                {agents.slice(0, maxAgents).map((agent) => (
                  <Item
                    key={agent.id}
                    value={`connect ${agent.id}`}
                    keywords={['connect', agent.name]}
                    icon={<Plug aria-hidden />}
                    onSelect={run(() => void navigate({ to: '/connect', search: { agent: agent.id } }))}
                  >
                    {`Connect ${agent.name}`}
                  </Item>
                ))}
              </Group>
              {words !== '' && (
                <Group heading="Knowledge">
                  <Item
                    value={searchKnowledge}
                    icon={<FileSearch aria-hidden />}
                    onSelect={run(() => void navigate({ to: '/knowledge/search', search: { q: words } }))}
                  >
                    {`Search the knowledge base for “${words}”`}
                  </Item>
                </Group>
              )}
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:text-faint [&_[cmdk-group-heading]]:uppercase [&_[cmdk-group-heading]]:tracking-wider"
    >
      {children}
    </Command.Group>
  );
}

interface ItemProps {
  icon: ReactNode;
  children: string;
  onSelect: () => void;
  value?: string;
  keywords?: string[];
  hint?: string;
  keys?: string;
}

function Item({ icon, children, onSelect, value, keywords, hint, keys }: ItemProps) {
  return (
    <Command.Item
      onSelect={onSelect}
      {...(value && { value })}
      {...(keywords && { keywords })}
      className="flex h-9 items-center gap-2.5 rounded-lg px-2.5 text-sm data-[selected=true]:bg-accent-soft max-md:h-11 [&>.lucide]:mx-[3px] [&>.lucide]:size-4 [&>.lucide]:shrink-0 [&>.lucide]:text-muted"
    >
      {icon}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {hint && <span className="max-w-40 truncate text-faint text-xs">{hint}</span>}
      {keys && <Kbd>{keys}</Kbd>}
    </Command.Item>
  );
}
