import {
  BrainCircuit,
  Footprints,
  Library,
  type LucideIcon,
  Mail,
  MessagesSquare,
  PawPrint,
  Plug,
  Plus,
  ScrollText,
  ServerCog,
  UsersRound,
  Wrench,
} from 'lucide-react';

interface ScreenEntry {
  to: string;
  label: string;
  /** What the palette calls it, where that is something else. */
  command?: string;
  icon: LucideIcon;
  /** Other words by which the palette finds it. */
  keywords: string[];
  /** The letter that leads there from anywhere. */
  shortcut?: string;
  /** Screens below it belong to it. */
  hasBelow: boolean;
  /** On a phone it stands in the bar; the others are behind "More". */
  isInBar: boolean;
  section: 'main' | 'settings';
}

/** Every screen that the navigation leads to, in its order: sidebar, bottom bar, palette, shortcuts and their help. */
export const screens = [
  screen('/', 'Agents', PawPrint, { command: 'All agents', isInBar: true }),
  screen('/new', 'New agent', Plus, { shortcut: 'n' }),
  screen('/chat', 'Chat', MessagesSquare, {
    command: 'New chat',
    shortcut: 'c',
    keywords: ['talk', 'conversation', 'ask', 'message'],
    hasBelow: true,
    isInBar: true,
  }),
  screen('/knowledge', 'Knowledge', Library, {
    shortcut: 'k',
    keywords: ['sources', 'sync', 'search'],
    hasBelow: true,
  }),
  screen('/team', 'Team', UsersRound, {
    shortcut: 't',
    keywords: ['board', 'tasks', 'members', 'epics'],
    hasBelow: true,
    isInBar: true,
  }),
  screen('/mail', 'Mail', Mail, { shortcut: 'm', keywords: ['inbox', 'escalations'], hasBelow: true, isInBar: true }),
  screen('/decisions', 'Decisions', ScrollText, { shortcut: 'd', keywords: ['log', 'calls', 'errors', 'timeline'] }),
  screen('/runs', 'Runs', Footprints, { keywords: ['engine', 'conversation', 'cost', 'tokens'], hasBelow: true }),
  screen('/tools', 'Tools', Wrench, { shortcut: 'w', keywords: ['call', 'try', 'schema'], hasBelow: true }),
  screen('/servers', 'Servers', ServerCog, {
    shortcut: 's',
    keywords: ['mcp', 'external', 'tools'],
    hasBelow: true,
    section: 'settings',
  }),
  screen('/models', 'Models', BrainCircuit, {
    keywords: ['provider', 'key', 'settings', 'openai', 'anthropic', 'ollama'],
    section: 'settings',
  }),
  screen('/connect', 'Connect', Plug, { command: 'Connect a client', section: 'settings' }),
];

export type Screen = (typeof screens)[number];

function screen<To extends string>(
  to: To,
  label: string,
  icon: LucideIcon,
  rest: Partial<Omit<ScreenEntry, 'to' | 'label' | 'icon'>>,
): ScreenEntry & { to: To } {
  return { to, label, icon, keywords: [], hasBelow: false, isInBar: false, section: 'main', ...rest };
}
