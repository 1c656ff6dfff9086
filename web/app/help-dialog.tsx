import { useId, useRef } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { isApple, isLetterKey, Kbd } from '../ui/kbd.tsx';
import { useLetterShortcuts } from '../ui/shortcut-setting.ts';
import { Switch } from '../ui/switch.tsx';
import { screens } from './screens.ts';
import { paletteKeys } from './shortcuts.ts';

type Shortcut = readonly [keys: readonly string[], action: string];

const sendKeys = isApple ? '⌘⏎' : 'Ctrl ⏎';

/** By where they work. */
const groups: readonly { place: string; shortcuts: readonly Shortcut[] }[] = [
  {
    place: 'Everywhere',
    shortcuts: [
      [[paletteKeys], 'Open the command palette'],
      [['/'], 'Search'],
      [['Enter'], 'Open the focused item'],
      [['Esc'], 'Close the dialog or menu'],
      [[isApple ? '⌥T' : 'Alt T'], 'Go to the newest notice; Esc goes back'],
      [['?'], 'Show keyboard shortcuts'],
    ],
  },
  {
    place: 'Go to a screen',
    shortcuts: screens.flatMap(({ shortcut, label }): Shortcut[] => (shortcut ? [[[shortcut], label]] : [])),
  },
  {
    place: 'Lists',
    shortcuts: [
      [['j', 'k'], 'Next, previous'],
      [['Home', 'End'], 'First, last, in long lists'],
      [['↑', '↓'], 'Move between the search field and its results'],
    ],
  },
  {
    place: 'Agents',
    shortcuts: [
      [['←', '↑', '↓', '→'], 'Move between cards'],
      [['Space'], 'Select the focused agent'],
      [['Shift Space'], 'Select the agents up to the focused one'],
    ],
  },
  { place: 'Editor', shortcuts: [[[isApple ? '⌘S' : 'Ctrl S'], 'Save the agent']] },
  {
    place: 'Chat',
    shortcuts: [
      [['r'], 'Write a message'],
      [['c'], 'Start a new chat'],
      [['Alt ↑', 'Alt ↓'], 'Previous tab, next tab'],
      [['x'], 'Close the tab'],
      [['Esc'], 'Stop the answer, or go to the call awaiting approval'],
      [['1', '2', '3', '4'], 'Allow a call once, for this chat, deny it, allow it always'],
    ],
  },
  {
    place: 'Board',
    shortcuts: [
      [['←', '↑', '↓', '→'], 'Move between cards'],
      [['Shift ←', 'Shift →'], 'Move the focused task to the next column'],
      [[sendKeys], 'Send the comment'],
    ],
  },
  {
    place: 'Mail',
    shortcuts: [
      [['r'], 'Reply'],
      [['c'], 'Write'],
      [[sendKeys], 'Send'],
      [['u'], 'Back to the list'],
      [['Esc'], 'Back to the list'],
    ],
  },
  { place: 'Inbox', shortcuts: [[['e'], 'Dismiss']] },
  {
    place: 'Tools, servers and runs',
    shortcuts: [
      [[sendKeys], 'Run'],
      [['a'], 'Add a server'],
      [['u'], 'Back to the list of tools'],
      [['Esc'], 'Back to the list of tools or servers'],
    ],
  },
  { place: 'Choosing a folder', shortcuts: [[['→', '←'], 'Open the focused folder, go up']] },
];

export function HelpDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [areLettersOn, setLettersOn] = useLetterShortcuts();
  const list = useRef<HTMLElement>(null);
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Keyboard shortcuts"
      // The arrow keys scroll it.
      initialFocus={list}
      footer={
        <div className="flex flex-1 items-center gap-3 text-sm">
          <span className="min-w-0 flex-1">
            Use one-letter shortcuts
            <span className="block text-muted text-xs">Letters, digits, / and ?. They never act while you type.</span>
          </span>
          <Switch label="Use one-letter shortcuts" checked={areLettersOn} onChange={setLettersOn} />
        </div>
      }
    >
      <section ref={list} tabIndex={-1} aria-label="Shortcuts" className="flex flex-col gap-5 outline-none">
        {groups.map(({ place, shortcuts }) => (
          <Group
            key={place}
            place={place}
            shortcuts={shortcuts.filter(([keys]) => areLettersOn || !keys.every(isLetterKey))}
          />
        ))}
      </section>
    </Dialog>
  );
}

function Group({ place, shortcuts }: { place: string; shortcuts: readonly Shortcut[] }) {
  const id = useId();
  if (shortcuts.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="font-medium text-faint text-xs">
        {place}
      </h3>
      <dl className="flex flex-col">
        {shortcuts.map(([keys, action]) => (
          <div key={keys.join()} className="flex items-center gap-3 border-line border-b py-2 last:border-0">
            <dt className="order-2 flex gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd className="order-1 min-w-0 flex-1 text-sm">{action}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
