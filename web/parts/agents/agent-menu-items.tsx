import { Link } from '@tanstack/react-router';
import { Copy, Download, MessageSquareQuote, MessagesSquare, Plug, Trash2 } from 'lucide-react';
import { copyText } from '../../ui/copy-button.tsx';
import { MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { injectInstruction } from './inject-instruction.ts';

export interface AgentMenuItemsProps {
  agent: { id: string; editable: boolean };
  onClone: () => void;
  onDelete: () => void;
}

/** The actions of an agent, for any menu. */
export function AgentMenuItems({ agent, onClone, onDelete }: AgentMenuItemsProps) {
  return (
    <>
      <MenuItem icon={<MessagesSquare aria-hidden />} render={<Link to="/chat" search={{ with: agent.id }} />}>
        Chat
      </MenuItem>
      <MenuItem
        icon={<MessageSquareQuote aria-hidden />}
        onClick={() =>
          void copyText(injectInstruction(agent.id), 'Instruction copied. Paste it into any connected client.')
        }
      >
        Copy instruction
      </MenuItem>
      <MenuItem icon={<Plug aria-hidden />} render={<Link to="/connect" search={{ agent: agent.id }} />}>
        Connect
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Copy aria-hidden />} onClick={onClone}>
        Clone
      </MenuItem>
      <MenuItem
        icon={<Download aria-hidden />}
        render={<a href={`/api/export?ids=${encodeURIComponent(agent.id)}`} download={`${agent.id}.json`} />}
      >
        Export as JSON
      </MenuItem>
      <MenuItem
        icon={<Download aria-hidden />}
        render={
          <a
            href={`/api/export?ids=${encodeURIComponent(agent.id)}&withoutBrain=true&withoutVersions=true`}
            download={`${agent.id}.json`}
          />
        }
      >
        Export without memory
      </MenuItem>
      {agent.editable && (
        <>
          <MenuSeparator />
          <MenuItem icon={<Trash2 aria-hidden />} danger onClick={onDelete}>
            Delete
          </MenuItem>
        </>
      )}
    </>
  );
}
