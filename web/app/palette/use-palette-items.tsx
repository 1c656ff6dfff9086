import { type NavigateOptions, useNavigate } from '@tanstack/react-router';
import { BookOpen, CircleHelp, Layers, Library, Mail, MessagesSquare, MoonStar, Plug, Plus } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useKnowledge } from '../../api/knowledge-queries.ts';
import { useFound } from '../../api/palette-queries.ts';
import { useAgents, useTemplates, useTools } from '../../api/queries.ts';
import { useServers } from '../../api/server-queries.ts';
import { useMembers } from '../../api/team-queries.ts';
import { useEpics } from '../../api/work-queries.ts';
import { type Opened, useOpened } from '../../parts/recent/opened.ts';
import { OpenedIcon, openedTarget, openedWords } from '../../parts/recent/opened-look.tsx';
import { MemberAvatar } from '../../parts/team/member-badge.tsx';
import { type Findable, firstOfEachKind, rank } from '../../ui/rank.ts';
import { toggleTheme } from '../../ui/theme.ts';
import { aboutAgent } from '../about-agent.ts';
import { screens } from '../screens.ts';
import { screenActions } from './screen-actions.ts';

export interface PaletteItem extends Findable {
  icon: ReactNode;
  kind: string;
  /** The kind in words. */
  hint?: string;
  /** Its shortcut. */
  keys?: string;
  /** Whether the user stays on the screen. */
  stays?: boolean;
  run: () => void;
}

export interface PaletteGroup {
  heading: string;
  items: readonly PaletteItem[];
}

/** More rows slow the list down and help nobody. */
const maxFound = 48;
const maxRecent = 6;

/** Returns what the palette lists: what was opened recently and every action, or what matches the words, best first. */
export function usePaletteItems(words: string, onHelp: () => void): { groups: PaletteGroup[]; isSearching: boolean } {
  const opened = useOpened();
  const { open } = useItemMaker();
  const actions = useActions(onHelp);
  const local = useLocalItems();
  const { found, isSearching } = useHubItems(words);
  const groups = useMemo((): PaletteGroup[] => {
    if (words === '') {
      const byKey = new Map([...local, ...actions].map((item) => [item.key, item]));
      const recent = opened
        .slice(0, maxRecent)
        .map((each) => byKey.get(keyOf(each.kind, each.id)) ?? open(each.kind, each));
      const agents = local.filter(({ key }) => key.startsWith('agent ')).slice(0, maxRecent);
      return [
        { heading: 'Recent', items: recent },
        { heading: 'Actions', items: actions },
        { heading: 'Agents', items: agents.filter((item) => !recent.includes(item)) },
      ];
    }
    const all = unique([...local, ...actions, ...found]);
    const ranked = rank(
      all,
      words,
      opened.map((each) => keyOf(each.kind, each.id)),
    );
    // The hub also searches what was said in chats and the paths of documents.
    const others = found.filter((item) => !ranked.some(({ key }) => key === item.key));
    return [{ heading: 'Results', items: firstOfEachKind([...ranked, ...others], ({ kind }) => kind, maxFound) }];
  }, [words, opened, actions, local, found, open]);
  const listed = useMemo(() => groups.filter(({ items }) => items.length > 0), [groups]);
  return { groups: listed, isSearching };
}

function keyOf(kind: Opened['kind'], id: string): string {
  return `${kind} ${id}`;
}

function unique(items: readonly PaletteItem[]): PaletteItem[] {
  return [...new Map(items.map((item) => [item.key, item])).values()];
}

/** Makes the items that open something. */
function useItemMaker() {
  const navigate = useNavigate();
  return useMemo(() => {
    const go = (target: NavigateOptions) => () => void navigate(aboutAgent(target, window.location.pathname));
    const open = (
      kind: Opened['kind'],
      { id, name, keywords = [], about = '' }: { id: string; name: string; keywords?: string[]; about?: string },
    ) => ({
      key: keyOf(kind, id),
      kind,
      name,
      keywords: [openedWords[kind], ...keywords],
      about,
      icon: <OpenedIcon kind={kind} id={id} />,
      hint: openedWords[kind],
      run: go(openedTarget({ kind, id })),
    });
    return { go, open };
  }, [navigate]);
}

/** Screens, what can be done on them, and the app's own actions. */
function useActions(onHelp: () => void): PaletteItem[] {
  const { go } = useItemMaker();
  return useMemo(
    () => [
      ...screens.flatMap(({ to, label, command = label, icon: Icon, shortcut, keywords, section }): PaletteItem[] => [
        {
          key: `screen ${to}`,
          kind: 'action',
          isAction: true,
          name: command,
          label,
          keywords: [label, ...keywords],
          icon: <Icon aria-hidden />,
          ...(section === 'settings' && { hint: 'Settings' }),
          ...(shortcut && { keys: shortcut }),
          run: go({ to }),
        },
        ...screenActions
          .filter(({ on }) => on === to)
          .map((action) => ({
            key: `action ${action.label}`,
            kind: 'action',
            isAction: true,
            name: action.label,
            keywords: action.keywords,
            icon: <action.icon aria-hidden />,
            ...(to === '/settings' && { hint: 'Settings' }),
            run: go(action.target),
          })),
      ]),
      {
        key: 'action theme',
        kind: 'action',
        isAction: true,
        name: 'Toggle theme',
        keywords: ['dark', 'light', 'settings'],
        icon: <MoonStar aria-hidden />,
        stays: true,
        run: toggleTheme,
      },
      {
        key: 'action docs',
        kind: 'action',
        isAction: true,
        name: 'Open API docs',
        keywords: ['openapi', 'http'],
        icon: <BookOpen aria-hidden />,
        run: () => window.location.assign('/docs'),
      },
      {
        key: 'action help',
        kind: 'action',
        isAction: true,
        name: 'Keyboard shortcuts',
        keywords: ['help', 'keys'],
        icon: <CircleHelp aria-hidden />,
        keys: '?',
        stays: true,
        run: onHelp,
      },
    ],
    [go, onHelp],
  );
}

/** There may be ten thousand agents. */
const chatIcon = <MessagesSquare aria-hidden />;
const plugIcon = <Plug aria-hidden />;

/** What the app has in whole lists: agents and what can be done with them, tools, servers, sources, members, epics and templates. */
function useLocalItems(): PaletteItem[] {
  const { go, open } = useItemMaker();
  const { data: agentList } = useAgents();
  const { data: tools } = useTools();
  const { data: serverList } = useServers();
  const { data: knowledge } = useKnowledge();
  const { data: templates } = useTemplates();
  const { data: team } = useMembers();
  const { data: epics } = useEpics();
  return useMemo(() => {
    const agents = agentList?.agents ?? [];
    return [
      ...agents.map(({ id, name, description }) => open('agent', { id, name, keywords: [id], about: description })),
      ...(serverList?.servers ?? []).map(({ name }) => open('server', { id: name, name, keywords: ['mcp'] })),
      ...(knowledge?.sources ?? []).map(
        ({ source, name }): PaletteItem => ({
          key: `source ${source}`,
          kind: 'source',
          name,
          keywords: ['knowledge', 'source', source],
          icon: <Library aria-hidden />,
          hint: 'Source',
          run: go({ to: '/knowledge/documents', search: { source } }),
        }),
      ),
      ...(tools ?? []).map(({ name, description }) => open('tool', { id: name, name, about: description ?? '' })),
      ...(team?.members ?? []).map(
        ({ id, agent, type }): PaletteItem => ({
          key: `member ${id}`,
          kind: 'member',
          name: id,
          keywords: ['team', 'member', type, agent ?? ''],
          icon: <MemberAvatar id={id} size={20} />,
          hint: 'Member',
          run: go({ to: '/team/members', search: { member: id } }),
        }),
      ),
      ...(epics ?? []).map(
        ({ id, title, description }): PaletteItem => ({
          key: `epic ${id}`,
          kind: 'epic',
          name: title,
          keywords: ['team', 'epic', id],
          about: description,
          icon: <Layers aria-hidden />,
          hint: 'Epic',
          run: go({ to: '/team', search: { epic: id } }),
        }),
      ),
      ...(templates ?? []).map(
        ({ id, name, category }): PaletteItem => ({
          key: `template ${id}`,
          kind: 'template',
          name,
          keywords: ['template', 'new', category],
          icon: <Plus aria-hidden />,
          hint: 'Template',
          run: go({ to: '/new', search: { template: id } }),
        }),
      ),
      ...agents.flatMap(({ id, name }): PaletteItem[] => [
        {
          key: `action chat ${id}`,
          kind: 'agent chat',
          name: `Chat with ${name}`,
          keywords: ['talk'],
          icon: chatIcon,
          run: go({ to: '/chat', search: { with: id } }),
        },
        {
          key: `action connect ${id}`,
          kind: 'agent connection',
          name: `Connect ${name}`,
          keywords: ['client'],
          icon: plugIcon,
          run: go({ to: '/connect', search: { agent: id } }),
        },
      ]),
    ];
  }, [agentList, tools, serverList, knowledge, templates, team, epics, go, open]);
}

/** What only the hub can search: chats, tasks, runs, documents and mail. */
function useHubItems(words: string): { found: PaletteItem[]; isSearching: boolean } {
  const { go, open } = useItemMaker();
  const { chats, tasks, runs, documents, threads, isSearching } = useFound(words);
  const found = useMemo(
    () => [
      ...chats.map(({ id, title }) => open('chat', { id, name: title })),
      ...tasks.map(({ id, title }) => open('task', { id, name: title, keywords: [id] })),
      ...runs.map(({ id, title, agentId }) => open('run', { id, name: title, keywords: [id, agentId ?? ''] })),
      ...documents.map(({ id, title, source_id }) => open('document', { id, name: title, keywords: [source_id] })),
      ...threads.map(
        ({ threadId, subject, participants }): PaletteItem => ({
          key: `mail ${threadId}`,
          kind: 'mail',
          name: subject,
          keywords: ['mail', ...participants.filter((id) => id !== null)],
          icon: <Mail aria-hidden />,
          hint: 'Mail',
          run: go({ to: '/mail/$threadId', params: { threadId } }),
        }),
      ),
    ],
    [chats, tasks, runs, documents, threads, go, open],
  );
  return { found, isSearching };
}
