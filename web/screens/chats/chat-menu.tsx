import { Link } from '@tanstack/react-router';
import { Columns2, Copy, Ellipsis, FileBraces, FileText, PencilLine, Trash2 } from 'lucide-react';
import type { Chat } from '../../../src/chats/chat.ts';
import { urlOf } from '../../api/client.ts';
import { copyText } from '../../ui/copy-button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { comparisonWith, useComparisons } from './compare/comparisons.ts';

export interface ChatMenuProps {
  chat: Pick<Chat, 'id' | 'title'>;
  size?: 'sm' | 'md';
  onRename: () => void;
  onDelete: () => void;
}

export function ChatMenu({ chat, size = 'md', onRename, onDelete }: ChatMenuProps) {
  const comparison = comparisonWith(useComparisons(), chat.id);
  const fileOf = (format: 'markdown' | 'json') =>
    urlOf('GET /api/chats/{id}/export', { params: { id: chat.id }, query: { format } });
  return (
    <Menu trigger={<IconButton size={size} label={`Actions for ${chat.title}`} icon={<Ellipsis aria-hidden />} />}>
      <MenuItem icon={<PencilLine aria-hidden />} onClick={onRename}>
        Rename
      </MenuItem>
      {comparison && (
        <MenuItem icon={<Columns2 aria-hidden />} render={<Link to="/chat/compare" search={comparison} />}>
          Open comparison
        </MenuItem>
      )}
      <MenuItem
        icon={<Copy aria-hidden />}
        onClick={() => void copyText(read(fileOf('markdown')), 'Chat copied as Markdown')}
      >
        Copy as Markdown
      </MenuItem>
      <MenuItem icon={<FileText aria-hidden />} render={<a href={fileOf('markdown')} download />}>
        Export as Markdown
      </MenuItem>
      <MenuItem icon={<FileBraces aria-hidden />} render={<a href={fileOf('json')} download />}>
        Export as JSON
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Trash2 aria-hidden />} danger onClick={onDelete}>
        Delete
      </MenuItem>
    </Menu>
  );
}

/** Returns the active branch, to paste it into a document or a ticket. */
async function read(address: string): Promise<string> {
  const reply = await fetch(address);
  if (!reply.ok) throw new Error(`The hub replied with status ${reply.status}.`);
  return reply.text();
}
