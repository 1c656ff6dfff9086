import type { ComponentProps } from 'react';
import { confirm } from '../../ui/confirm.tsx';
import { Input } from '../../ui/input.tsx';

/** Takes an API key. */
export function KeyInput(props: Omit<ComponentProps<'input'>, 'type'>) {
  return (
    <Input
      {...props}
      type="password"
      // Keeps browsers from saving the API key as this site's password.
      autoComplete="new-password"
      spellCheck={false}
      maxLength={10_000}
    />
  );
}

/** Asks before a dialog with a typed secret closes. Everything else that was typed is kept as a draft, but secrets never are. */
export async function mayLoseKey(isTyped: boolean, what: 'key' | 'secret' | 'token' = 'key'): Promise<boolean> {
  if (!isTyped) return true;
  return confirm({
    title: `Discard the ${what}?`,
    message: `It is not saved yet. The browser never keeps ${what}s, so you would have to enter it again.`,
    confirmLabel: 'Discard',
    cancelLabel: 'Keep editing',
    danger: true,
  });
}
