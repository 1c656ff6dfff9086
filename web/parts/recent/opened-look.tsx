import type { NavigateOptions } from '@tanstack/react-router';
import { FileText, Footprints, type LucideIcon, MessagesSquare, ServerCog, SquareCheck, Wrench } from 'lucide-react';
import type { ReactNode } from 'react';
import { AgentAvatar } from '../agents/agent-avatar.tsx';
import type { Opened } from './opened.ts';

const icons: Record<Exclude<Opened['kind'], 'agent'>, LucideIcon> = {
  chat: MessagesSquare,
  task: SquareCheck,
  run: Footprints,
  tool: Wrench,
  server: ServerCog,
  document: FileText,
};

export const openedWords: Record<Opened['kind'], string> = {
  agent: 'Agent',
  chat: 'Chat',
  task: 'Task',
  run: 'Run',
  tool: 'Tool',
  server: 'Server',
  document: 'Document',
};

export function OpenedIcon({ kind, id }: Pick<Opened, 'kind' | 'id'>): ReactNode {
  if (kind === 'agent') return <AgentAvatar id={id} size={20} />;
  const Icon = icons[kind];
  return <Icon aria-hidden />;
}

/** Returns where it is shown. */
export function openedTarget({ kind, id }: Pick<Opened, 'kind' | 'id'>): NavigateOptions {
  switch (kind) {
    case 'agent':
      return { to: '/a/$id', params: { id } };
    case 'chat':
      return { to: '/chat/$id', params: { id } };
    case 'task':
      return { to: '/team/tasks/$id', params: { id } };
    case 'run':
      return { to: '/runs/$id', params: { id } };
    case 'tool':
      return { to: '/tools/$name', params: { name: id } };
    case 'server':
      return { to: '/servers/$name', params: { name: id } };
    case 'document':
      return { to: '/knowledge/documents/$id', params: { id } };
  }
}
