import { useNavigate } from '@tanstack/react-router';
import { Dices, Ellipsis, FolderHeart, Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import { useCloneAgent, useDeleteAgent, useUndeleteAgent } from '../../../api/queries.ts';
import { AgentMenuItems } from '../../../parts/agents/agent-menu-items.tsx';
import { confirm } from '../../../ui/confirm.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';
import { DefaultFoldersDialog } from './default-folders-dialog.tsx';

export interface EditorMenuProps {
  agent: AgentDetail;
  dirty: boolean;
  onDiscard: () => void;
  /** Draws another picture. */
  onRedraw: () => void;
}

export function EditorMenu({ agent, dirty, onDiscard, onRedraw }: EditorMenuProps) {
  const clone = useCloneAndOpen(agent);
  const remove = useDeleteAndLeave(agent, dirty);
  const [isChoosing, setIsChoosing] = useState(false);
  return (
    <>
      <Menu trigger={<IconButton label="More actions" icon={<Ellipsis aria-hidden />} />}>
        {dirty && (
          <>
            <MenuItem icon={<Undo2 aria-hidden />} onClick={onDiscard}>
              Discard changes
            </MenuItem>
            <MenuSeparator />
          </>
        )}
        {agent.editable && (
          <MenuItem icon={<Dices aria-hidden />} onClick={onRedraw}>
            Draw another picture
          </MenuItem>
        )}
        <MenuItem icon={<FolderHeart aria-hidden />} onClick={() => setIsChoosing(true)}>
          Default for folders…
        </MenuItem>
        <AgentMenuItems agent={agent} onClone={clone.start} onDelete={() => void remove()} />
      </Menu>
      {isChoosing && <DefaultFoldersDialog agent={agent} onClose={() => setIsChoosing(false)} />}
    </>
  );
}

/** Clones the saved version and opens the clone. The leave guard asks about unsaved changes. */
export function useCloneAndOpen(agent: AgentDetail) {
  const navigate = useNavigate();
  const clone = useCloneAgent();
  const run = async () => {
    try {
      const copy = await clone.mutateAsync({ id: agent.id });
      showToast(`“${agent.name}” cloned`);
      await navigate({ to: '/a/$id', params: { id: copy.id } });
    } catch (error) {
      showError(`“${agent.name}” could not be cloned`, error);
    }
  };
  return { start: () => void run(), busy: clone.isPending };
}

function useDeleteAndLeave(agent: AgentDetail, dirty: boolean) {
  const navigate = useNavigate();
  const remove = useDeleteAgent();
  const undelete = useUndeleteAgent();
  const open = () => navigate({ to: '/a/$id', params: { id: agent.id } });
  const restore = () =>
    undelete.mutateAsync(agent.id).then(open, (error) => showError(`“${agent.name}” could not be restored`, error));
  return async () => {
    if (dirty) {
      const sure = await confirm({
        title: `Delete “${agent.name}”?`,
        message: 'You can restore the saved version later. Your unsaved changes will be lost.',
        confirmLabel: 'Delete',
        danger: true,
      });
      if (!sure) return;
    }
    try {
      // Leaves first: this screen would only report a missing agent.
      await navigate({ to: '/', ignoreBlocker: true });
      await remove.mutateAsync(agent.id);
      showToast(`“${agent.name}” deleted`, { action: { label: 'Undo', onClick: () => void restore() } });
    } catch (error) {
      showError(`“${agent.name}” could not be deleted`, error);
    }
  };
}
