import { Braces, Copy, SquareTerminal, Terminal } from 'lucide-react';
import type { ToolDetailBody } from '../../../src/tools/tools.contract.ts';
import { copyText } from '../../ui/copy-button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import type { CallAs } from './call-as.ts';
import { cliSnippet, curlSnippet } from './call-snippets.ts';

export interface CopyCallProps {
  tool: ToolDetailBody;
  input: unknown;
  as: CallAs;
}

/** The call elsewhere: as a command, as a request, or the input alone. */
export function CopyCall({ tool, input, as }: CopyCallProps) {
  const call = { tool: tool.name, input, as, url: window.location.origin };
  return (
    <Menu trigger={<IconButton label="Copy the call" icon={<Copy aria-hidden />} />}>
      <MenuItem
        icon={<Braces aria-hidden />}
        onClick={() => void copyText(JSON.stringify(input, null, 2), 'Input copied')}
      >
        Copy input as JSON
      </MenuItem>
      <MenuItem
        icon={<SquareTerminal aria-hidden />}
        onClick={() => void copyText(cliSnippet(call), 'Command copied')}
        disabled={as.kind === 'member'}
      >
        Copy as zoo command
      </MenuItem>
      <MenuItem icon={<Terminal aria-hidden />} onClick={() => void copyText(curlSnippet(call), 'Request copied')}>
        Copy as curl
      </MenuItem>
    </Menu>
  );
}
