import { Dialog } from '../ui/dialog.tsx';
import { isApple, isLetterKey, Kbd } from '../ui/kbd.tsx';
import { useLetterShortcuts } from '../ui/shortcut-setting.ts';
import { Switch } from '../ui/switch.tsx';
import { screens } from './screens.ts';
import { paletteKeys } from './shortcuts.ts';

const shortcuts: [string[], string][] = [
  [[paletteKeys], 'Open the command palette'],
  [['/'], 'Search'],
  ...screens.flatMap(({ shortcut, label }): [string[], string][] => (shortcut ? [[[shortcut], label]] : [])),
  [[isApple ? '⌘S' : 'Ctrl S'], 'Editor: save the agent'],
  [['←', '↑', '↓', '→'], 'Gallery and board: move between cards'],
  [['Shift ←', 'Shift →'], 'Board: move the focused task to the next column'],
  [['↑', '↓'], 'Search: move between the field and its results'],
  [['Space'], 'Gallery: select the focused agent'],
  [['Shift Space'], 'Gallery: select the agents up to the focused one'],
  [['→', '←'], 'Folders: open the focused folder, go up'],
  [['j', 'k'], 'Lists: next, previous'],
  [['Home', 'End'], 'Long lists: first, last'],
  [['r'], 'Mail: reply. Chat: write a message'],
  [['c'], 'Mail: write. Chat: start a new chat'],
  [['Alt ↑', 'Alt ↓'], 'Chat: previous tab, next tab'],
  [['x'], 'Chat: close the tab'],
  [['Esc'], 'Chat: stop the answer, or go to the call awaiting approval'],
  [['1', '2', '3', '4'], 'Chat: allow a call once, for this chat, deny it, allow it always'],
  [['e'], 'Inbox: dismiss'],
  [['u'], 'Mail and tools: back to the list'],
  [['Esc'], 'Mail, tools and servers: back to the list'],
  [[isApple ? '⌘⏎' : 'Ctrl ⏎'], 'Mail, comments, runs and tools: send or run'],
  [['a'], 'Servers: add a server'],
  [['Enter'], 'Open the focused item'],
  [[isApple ? '⌥T' : 'Alt T'], 'Go to the newest notice; Esc goes back'],
  [['?'], 'Show keyboard shortcuts'],
  [['Esc'], 'Close the dialog or menu'],
];

export function HelpDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [areLettersOn, setLettersOn] = useLetterShortcuts();
  const shown = shortcuts.filter(([keys]) => areLettersOn || !keys.every(isLetterKey));
  return (
    <Dialog open={open} onClose={onClose} size="sm" title="Keyboard shortcuts">
      <div className="mb-2 flex items-center gap-3 rounded-lg bg-sunken px-3 py-2.5 text-sm">
        <span className="min-w-0 flex-1">
          Use one-letter shortcuts
          <span className="block text-muted text-xs">Letters, digits, / and ?. They never act while you type.</span>
        </span>
        <Switch label="Use one-letter shortcuts" checked={areLettersOn} onChange={setLettersOn} />
      </div>
      <dl className="flex flex-col">
        {shown.map(([keys, action]) => (
          <div key={action} className="flex items-center gap-3 border-line border-b py-2 last:border-0">
            <dt className="order-2 flex gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd className="order-1 min-w-0 flex-1 text-sm">{action}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
