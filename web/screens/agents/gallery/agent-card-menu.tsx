import { Link, useNavigate } from '@tanstack/react-router';
import { Ellipsis, PencilLine } from 'lucide-react';
import type { AgentSummary } from '../../../../src/agents/agents.contract.ts';
import { useCloneAgent, useDeleteAgent, useUndeleteAgent } from '../../../api/queries.ts';
import { AgentMenuItems } from '../../../parts/agents/agent-menu-items.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';

export function AgentCardMenu({ agent }: { agent: AgentSummary }) {
  const { copyAgent, removeAgent } = useAgentActions();
  return (
    <Menu trigger={<IconButton label={`Actions for ${agent.name}`} size="sm" icon={<Ellipsis aria-hidden />} />}>
      <MenuItem icon={<PencilLine aria-hidden />} render={<Link to="/a/$id" params={{ id: agent.id }} />}>
        {agent.editable ? 'Open' : 'Open (read only)'}
      </MenuItem>
      <AgentMenuItems agent={agent} onClone={() => copyAgent(agent)} onDelete={() => removeAgent(agent)} />
    </Menu>
  );
}

/** The card may be gone when the hub answers, so the messages hang on the promise, not on the card. */
function useAgentActions() {
  const navigate = useNavigate();
  const clone = useCloneAgent();
  const remove = useDeleteAgent();
  const undelete = useUndeleteAgent();
  return {
    copyAgent(agent: AgentSummary) {
      clone.mutateAsync({ id: agent.id }).then(
        (copy) =>
          showToast(`“${agent.name}” was cloned`, {
            action: { label: 'Open', onClick: () => void navigate({ to: '/a/$id', params: { id: copy.id } }) },
          }),
        (error) => showError(`“${agent.name}” could not be cloned`, error),
      );
    },
    removeAgent(agent: AgentSummary) {
      const bringBack = () =>
        undelete.mutateAsync(agent.id).then(
          () => showToast(`“${agent.name}” is back`),
          (error) => showError(`“${agent.name}” could not be brought back`, error),
        );
      remove.mutateAsync(agent.id).then(
        () => showToast(`“${agent.name}” was deleted`, { action: { label: 'Undo', onClick: () => void bringBack() } }),
        (error) => showError(`“${agent.name}” could not be deleted`, error),
      );
    },
  };
}
