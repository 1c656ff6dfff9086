import {
  Bell,
  BrainCircuit,
  ChartColumn,
  Footprints,
  KeyRound,
  Library,
  type LucideIcon,
  Mail,
  MessagesSquare,
  PawPrint,
  Plug,
  Plus,
  ScrollText,
  ServerCog,
  Settings2,
  UsersRound,
  Wrench,
} from 'lucide-react';

interface ScreenEntry {
  to: string;
  label: string;
  /** The palette's label, if it differs. */
  command?: string;
  icon: LucideIcon;
  /** More words the palette finds it by. */
  keywords: string[];
  /** The key that opens it from anywhere. */
  shortcut?: string;
  /** Whether it stays active on the screens nested below it. */
  hasNested: boolean;
  /** Whether the phone shows it in the bottom bar; the others are under "More". */
  isInBar: boolean;
  section: 'main' | 'settings';
}

/** Every screen in the navigation, in order. The sidebar, bottom bar, palette, shortcuts and help are built from it. */
export const screens = [
  screen('/', 'Agents', PawPrint, { command: 'All agents', isInBar: true }),
  screen('/inbox', 'Inbox', Bell, {
    shortcut: 'i',
    keywords: ['waiting', 'approvals', 'reviews', 'failures', 'notifications'],
    isInBar: true,
  }),
  screen('/new', 'New agent', Plus, { shortcut: 'n' }),
  screen('/chat', 'Chat', MessagesSquare, {
    command: 'New chat',
    shortcut: 'c',
    keywords: ['talk', 'conversation', 'ask', 'message'],
    hasNested: true,
    isInBar: true,
  }),
  screen('/knowledge', 'Knowledge', Library, {
    shortcut: 'l',
    keywords: ['library', 'sources', 'sync', 'search'],
    hasNested: true,
  }),
  screen('/team', 'Team', UsersRound, {
    shortcut: 't',
    keywords: ['board', 'tasks', 'members', 'epics'],
    hasNested: true,
    isInBar: true,
  }),
  screen('/mail', 'Mail', Mail, { shortcut: 'm', keywords: ['letters', 'escalations'], hasNested: true }),
  screen('/decisions', 'Decisions', ScrollText, { shortcut: 'd', keywords: ['log', 'calls', 'errors', 'timeline'] }),
  screen('/runs', 'Runs', Footprints, { keywords: ['engine', 'conversation', 'cost', 'tokens'], hasNested: true }),
  screen('/usage', 'Usage', ChartColumn, {
    keywords: ['cost', 'tokens', 'latency', 'errors', 'budgets', 'spending', 'csv'],
  }),
  screen('/tools', 'Tools', Wrench, { shortcut: 'w', keywords: ['call', 'try', 'schema'], hasNested: true }),
  screen('/servers', 'Servers', ServerCog, {
    shortcut: 's',
    keywords: ['mcp', 'external', 'tools'],
    hasNested: true,
    section: 'settings',
  }),
  screen('/models', 'Models', BrainCircuit, {
    keywords: ['provider', 'key', 'settings', 'openai', 'anthropic', 'ollama'],
    section: 'settings',
  }),
  screen('/settings', 'Settings', Settings2, {
    keywords: ['retention', 'webhooks', 'trusted folders', 'peers', 'theme', 'address', 'config', 'zoo.toml', 'team'],
    hasNested: true,
    section: 'settings',
  }),
  screen('/connect', 'Connect', Plug, { command: 'Connect a client', section: 'settings' }),
  screen('/access', 'Access', KeyRound, {
    command: 'Access and keys',
    keywords: ['sign out', 'browsers', 'sessions', 'client keys', 'security'],
    section: 'settings',
  }),
];

export type Screen = (typeof screens)[number];

/** Returns the screen of an address, and the gallery for an agent. */
export function screenAt(pathname: string): Screen | undefined {
  if (/^\/(a\/|deleted-agents$)/.test(pathname)) return screens.find(({ to }) => to === '/');
  return screens.find(({ to, hasNested }) => pathname === to || (hasNested && pathname.startsWith(`${to}/`)));
}

function screen<To extends string>(
  to: To,
  label: string,
  icon: LucideIcon,
  rest: Partial<Omit<ScreenEntry, 'to' | 'label' | 'icon'>>,
): ScreenEntry & { to: To } {
  return { to, label, icon, keywords: [], hasNested: false, isInBar: false, section: 'main', ...rest };
}
