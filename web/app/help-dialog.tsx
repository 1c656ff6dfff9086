import { Dialog } from '../ui/dialog.tsx';
import { isApple, Kbd } from '../ui/kbd.tsx';
import { screens } from './screens.ts';
import { paletteKeys } from './shortcuts.ts';

const shortcuts: [string[], string][] = [
  [[paletteKeys], 'Command palette: go anywhere, do anything'],
  [['/'], 'Search'],
  ...screens.flatMap(({ shortcut, label }): [string[], string][] => (shortcut ? [[[shortcut], label]] : [])),
  [[isApple ? '⌘S' : 'Ctrl S'], 'Save the agent in the editor'],
  [['←', '↑', '↓', '→'], 'Move between the cards of the gallery and of the board'],
  [['Shift ←', 'Shift →'], 'Move the task in focus to the state beside it'],
  [['↑', '↓'], 'Move between the search box and what it found'],
  [['j', 'k'], 'In chats, mail, decisions, servers and tools: the next one, the one before'],
  [['r'], 'In mail: reply; in a chat: write'],
  [['c'], 'In mail and chats: begin a new one'],
  [['Alt ↑', 'Alt ↓'], 'In chats: the open one before, the next one'],
  [['x'], 'In chats: close the open one'],
  [['Esc'], 'In a chat: stop the answer, or go to the call that waits'],
  [['1', '2', '3'], 'In a chat, when a call waits: once, for this chat, deny'],
  [['u'], 'In mail and tools: back to the list'],
  [[isApple ? '⌘⏎' : 'Ctrl ⏎'], 'In a tool: run it'],
  [['a'], 'In servers: add one'],
  [['Enter'], 'Open what is in focus'],
  [['?'], 'This help'],
  [['Esc'], 'Close what is open'],
];

export function HelpDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} size="sm" title="Keyboard shortcuts">
      <dl className="flex flex-col">
        {shortcuts.map(([keys, what]) => (
          <div key={what} className="flex items-center gap-3 border-line border-b py-2 last:border-0">
            <dt className="order-2 flex gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd className="order-1 min-w-0 flex-1 text-sm">{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
