import type { NavigateOptions } from '@tanstack/react-router';
import {
  ArchiveRestore,
  Columns2,
  Files,
  FolderPlus,
  KeyRound,
  ListPlus,
  type LucideIcon,
  MailPlus,
  Play,
  Plus,
  ServerCog,
  Settings2,
  Upload,
  UserRoundPlus,
} from 'lucide-react';
import { sectionOf, settingWords } from '../../screens/settings/setting-words.ts';
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
    on: '/',
    label: 'Import agents',
    icon: Upload,
    keywords: ['json', 'file', 'upload'],
    target: { to: '/', search: { import: true } },
  },
  {
    on: '/',
    label: 'Deleted agents',
    icon: ArchiveRestore,
    keywords: ['restore', 'undelete', 'recover', 'trash'],
    target: { to: '/deleted-agents' },
  },
  {
    on: '/chat',
    label: 'Compare two agents or models',
    icon: Columns2,
    keywords: ['chat', 'side by side'],
    target: { to: '/chat/compare' },
  },
  {
    on: '/runs',
    label: 'Start a run',
    icon: Play,
    keywords: ['run', 'engine', 'execute'],
    target: { to: '/runs', search: { start: true } },
  },
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
  {
    on: '/models',
    label: 'Add provider',
    icon: Plus,
    keywords: ['model', 'key', 'openai', 'anthropic', 'google', 'ollama'],
    target: { to: '/models', search: { add: true } },
  },
  {
    on: '/access',
    label: 'Create key',
    icon: KeyRound,
    keywords: ['client', 'access', 'token'],
    target: { to: '/access', search: { add: true } },
  },
  elsewhere('/models', 'Default model', ['model']),
  elsewhere('/models', 'Embeddings', ['vectors', 'search', 'model']),
  elsewhere('/team/permissions', 'Role permissions', ['rules', 'allow', 'deny', 'worker', 'supervisor']),
  elsewhere('/usage', 'Budgets', ['limit', 'spending', 'cost']),
  ...settings('team', 'Team settings', ['limits']),
  ...settings('retention', 'Retention', ['delete', 'days', 'log']),
  ...settings('webhooks', 'Webhooks', ['events', 'deliver']),
  ...settings('folders', 'Trusted folders', ['trust', 'zoo.toml']),
  ...settings('peers', 'Peers', ['a2a', 'hubs']),
  ...eachSetting(),
];

/** A setting on another screen. */
function elsewhere(to: '/models' | '/team/permissions' | '/usage', label: string, keywords: string[]): ScreenAction {
  return { on: '/settings', label, icon: Settings2, keywords: ['settings', ...keywords], target: { to } };
}

/** The single settings. The address names the one that gets the focus. */
function eachSetting(): ScreenAction[] {
  return Object.entries(settingWords).map(([key, words]): ScreenAction => {
    const section = sectionOf(key);
    return {
      on: '/settings' as const,
      label: words.title,
      icon: Settings2,
      keywords: ['settings', key, words.description],
      target:
        section === 'general'
          ? { to: '/settings', hash: key }
          : { to: '/settings/$section', params: { section }, hash: key },
    };
  });
}

function settings(section: string, label: string, keywords: string[]): ScreenAction[] {
  const target = { to: '/settings/$section', params: { section } } as const;
  return [{ on: '/settings', label, icon: Settings2, keywords: ['settings', ...keywords], target }];
}
