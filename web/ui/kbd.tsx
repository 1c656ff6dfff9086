import { classes } from './classes.ts';
import { useLetterShortcuts } from './shortcut-setting.ts';

/** Whether shortcuts use ⌘ instead of Ctrl. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** A key. One-letter shortcuts are not shown while they are switched off. */
export function Kbd({ children, inverted = false }: { children: string; inverted?: boolean }) {
  const [areLettersOn] = useLetterShortcuts();
  if (!areLettersOn && isLetterKey(children)) return null;
  return (
    <kbd
      className={classes(
        'inline-flex h-[1.125rem] min-w-[1.125rem] items-center justify-center rounded px-1 font-mono text-2xs',
        inverted ? 'border border-current/45' : 'border border-line bg-sunken text-muted',
      )}
    >
      {children}
    </kbd>
  );
}

/** Keys and what they do, such as "j k move". Shows nothing while these shortcuts are switched off. */
export function KeyHint({ keys, children }: { keys: readonly string[]; children: string }) {
  const [areLettersOn] = useLetterShortcuts();
  if (!areLettersOn && keys.every(isLetterKey)) return null;
  return (
    <span className="inline-flex items-center gap-1">
      {keys.map((key) => (
        <Kbd key={key}>{key}</Kbd>
      ))}
      {children}
    </span>
  );
}

/** Whether a key types a character, and so is a shortcut that can be switched off. */
export function isLetterKey(key: string): boolean {
  return /^[\w/?]$/.test(key);
}
