import type { NavigateOptions } from '@tanstack/react-router';
import {
  Files,
  FolderPlus,
  ListPlus,
  type LucideIcon,
  MailPlus,
  ServerCog,
  Settings2,
  UserRoundPlus,
} from 'lucide-react';
import type { Screen } from '../screens.ts';

interface ScreenAction {
  on: Screen['to'];
  label: string;
  icon: LucideIcon;
  keywords: string[];
  target: NavigateOptions;
}

/** Actions of the palette, listed below the screen they belong to. */
export const screenActions: readonly ScreenAction[] = [
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
    keywords: ['mcp', 'external', 'import', 'json', 'catalogue'],
    target: { to: '/servers', search: { add: 'catalogue' } },
  },
  ...settings('team', 'Team settings', ['limits']),
  ...settings('retention', 'Retention', ['delete', 'days', 'log']),
  ...settings('webhooks', 'Webhooks', ['events', 'deliver']),
  ...settings('folders', 'Trusted folders', ['trust', 'zoo.toml']),
  ...settings('peers', 'Peers', ['a2a', 'hubs']),
];

function settings(section: string, label: string, keywords: string[]): ScreenAction[] {
  const target = { to: '/settings/$section', params: { section } } as const;
  return [{ on: '/settings', label, icon: Settings2, keywords: ['settings', ...keywords], target }];
}
