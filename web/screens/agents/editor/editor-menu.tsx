import { useNavigate } from '@tanstack/react-router';
import { Dices, Ellipsis, FolderHeart, Undo2 } from 'lucide-react';
import { useRef, useState } from 'react';
import type { AgentDetail } from '../../../../src/agents/agents.contract.ts';
import { useCloneAgent, useDeleteAgent, useUndeleteAgent } from '../../../api/queries.ts';
import { AgentMenuItems } from '../../../parts/agents/agent-menu-items.tsx';
import type { Draft as StoredDraft } from '../../../parts/drafts/draft-storage.ts';
import { keepDraft, readDraft, removeDraft } from '../../../parts/drafts/drafts.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';
import { DefaultFoldersDialog } from './default-folders-dialog.tsx';
import { draftName } from './kept-draft.ts';

export interface EditorMenuProps {
  agent: AgentDetail;
  dirty: boolean;
  onDiscard: () => void;
  /** Draws another picture. */
  onRedraw: () => void;
}

export function EditorMenu({ agent, dirty, onDiscard, onRedraw }: EditorMenuProps) {
  const clone = useCloneAndOpen(agent);
  const remove = useDeleteAndLeave(agent);
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

/** Deletes the agent. Undo also brings back what was not saved. */
function useDeleteAndLeave(agent: AgentDetail) {
  const navigate = useNavigate();
  const remove = useDeleteAgent();
  const undelete = useUndeleteAgent();
  const open = () => navigate({ to: '/a/$id', params: { id: agent.id } });
  const unsaved = useRef<StoredDraft>(undefined);
  const restore = async () => {
    try {
      await undelete.mutateAsync(agent.id);
      const { current } = unsaved;
      if (current) keepDraft(draftName(agent.id), current.value, current.base);
      await open();
    } catch (error) {
      showError(`“${agent.name}” could not be restored`, error);
    }
  };
  return async () => {
    const name = draftName(agent.id);
    try {
      // Leaves first: this screen would only report a missing agent.
      await navigate({ to: '/', ignoreBlocker: true });
      await remove.mutateAsync(agent.id);
      unsaved.current = readDraft(name);
      removeDraft(name);
      showToast(`“${agent.name}” deleted`, { action: { label: 'Undo', onClick: () => void restore() } });
    } catch (error) {
      showError(`“${agent.name}” could not be deleted`, error);
    }
  };
}
