import { Link } from '@tanstack/react-router';
import { Ellipsis, Files, FolderSync, FolderX, RefreshCw, Search, Trash2 } from 'lucide-react';
import type { SourceInfo } from '../../../src/knowledge/knowledge.ts';
import { useRemoveSource, useSync } from '../../api/knowledge-queries.ts';
import { Button } from '../../ui/button.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { showError, showToast } from '../../ui/toast.tsx';
import { actionsOf } from './describe-sync.ts';

/** Sync at once; the rest in a menu. */
export function SourceActions({ source }: { source: SourceInfo }) {
  const sync = useSync();
  const remove = useRemoveSource();
  const { canSync, canRemove } = actionsOf(source);
  const start = (full: boolean, allowEmpty = false) =>
    sync.mutate({ target: source.source, full, allowEmpty }, { onError: (error) => showError('Not synced', error) });
  const acceptEmpty = async () => {
    const sure = await confirm({
      title: `Accept “${source.name}” as empty?`,
      message: `If the next sync finds nothing, ${formatCount(source.documents, 'document')} will leave the knowledge base.`,
      confirmLabel: 'Sync',
      danger: true,
    });
    if (sure) start(false, true);
  };
  const ask = async () => {
    const sure = await confirm({
      title: `Remove “${source.name}”?`,
      message: `${formatCount(source.documents, 'document')} will leave the knowledge base. The files themselves stay where they are.`,
      confirmLabel: 'Remove',
      danger: true,
    });
    if (!sure) return;
    remove.mutate(source.source, {
      onSuccess: () => showToast(`Removed “${source.name}”`),
      onError: (error) => showError('Not removed', error),
    });
  };
  return (
    <div className="flex shrink-0 items-center gap-1">
      {source.origin !== 'gone' && (
        <Button
          size="sm"
          icon={<RefreshCw aria-hidden />}
          disabled={!canSync}
          busy={sync.isPending}
          aria-label={`Sync ${source.name}`}
          onClick={() => start(false)}
        >
          Sync
        </Button>
      )}
      <Menu trigger={<IconButton size="sm" label={`Actions for ${source.name}`} icon={<Ellipsis aria-hidden />} />}>
        <MenuItem
          icon={<Files aria-hidden />}
          render={<Link to="/knowledge/documents" search={{ source: source.source }} />}
        >
          Browse documents
        </MenuItem>
        <MenuItem
          icon={<Search aria-hidden />}
          render={<Link to="/knowledge/search" search={{ source: source.source }} />}
        >
          Search in it
        </MenuItem>
        <MenuItem icon={<FolderSync aria-hidden />} disabled={!canSync} onClick={() => start(true)}>
          Re-index everything
        </MenuItem>
        {source.state === 'failed' && source.documents > 0 && (
          <MenuItem icon={<FolderX aria-hidden />} disabled={!canSync} onClick={() => void acceptEmpty()}>
            Sync, and accept it as empty…
          </MenuItem>
        )}
        {source.origin !== 'config' && (
          <>
            <MenuSeparator />
            <MenuItem danger icon={<Trash2 aria-hidden />} disabled={!canRemove} onClick={() => void ask()}>
              Remove…
            </MenuItem>
          </>
        )}
      </Menu>
    </div>
  );
}
