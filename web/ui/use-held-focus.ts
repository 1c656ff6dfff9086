import { type ComponentProps, type FocusEvent, type MouseEvent, useState } from 'react';

type ButtonEvents = Pick<ComponentProps<'button'>, 'disabled' | 'aria-disabled' | 'onClick' | 'onFocus' | 'onBlur'>;

/**
 * Returns the props of a button that is disabled or busy without losing the focus. The browser would move the focus of a disabled
 * button to the page, where the next key is a shortcut. A button that has the focus is therefore only marked as disabled and
 * ignores clicks.
 */
export function useHeldFocus(props: ButtonEvents, isBusy = false): ButtonEvents {
  const [hasFocus, setHasFocus] = useState(false);
  const { disabled = false, onClick, onFocus, onBlur } = props;
  const isHeld = isBusy || (disabled && hasFocus);
  return {
    disabled: disabled && !isHeld,
    'aria-disabled': isHeld || props['aria-disabled'],
    onClick: isHeld ? ignore : onClick,
    onFocus: (event: FocusEvent<HTMLButtonElement>) => {
      setHasFocus(true);
      onFocus?.(event);
    },
    onBlur: (event: FocusEvent<HTMLButtonElement>) => {
      // Another window has the focus now, and this button has it again afterwards.
      if (document.activeElement !== event.currentTarget) setHasFocus(false);
      onBlur?.(event);
    },
  };
}

/** Enter in a field of a form clicks its submit button, too. */
function ignore(event: MouseEvent): void {
  event.preventDefault();
}
