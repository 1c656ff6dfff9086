import type { CSSProperties } from 'react';
import { createPortal } from 'react-dom';
import { Toaster as Base, toast } from 'sonner';
import { errorText } from './error-state.tsx';
import { NoticeFocus } from './notice-focus.tsx';

interface ToastAction {
  label: string;
  onClick: () => void;
}

export interface ToastOptions {
  description?: string;
  action?: ToastAction;
  /** Called when the message closes without its action. */
  onClose?: () => void;
}

/** Shows a short message; `action` is usually Undo. Returns what closes it. */
export function showToast(message: string, options: ToastOptions = {}): () => void {
  const { onClose } = options;
  const id = toast(message, {
    ...(options.description && { description: options.description }),
    ...(options.action && { action: options.action, duration: 10_000 }),
    ...(onClose && { onAutoClose: onClose, onDismiss: onClose }),
  });
  return () => void toast.dismiss(id);
}

/** Shows a message that stays, and changes, until the work it reports is done. */
export function showProgress(): { update: (message: string) => void; close: () => void } {
  let id: string | number | undefined;
  return {
    update: (message) => {
      id = toast.loading(message, id === undefined ? {} : { id });
    },
    close: () => void toast.dismiss(id),
  };
}

export function showError(title: string, error: unknown): void {
  toast.error(title, { description: errorText(error), duration: 8_000 });
}

// React's style type does not include the library's CSS variables.
const toastColors = {
  '--normal-bg': 'var(--raised)',
  '--normal-border': 'var(--line-strong)',
  '--normal-text': 'var(--text)',
  '--border-radius': '0.875rem',
  fontFamily: 'inherit',
} as CSSProperties;

/** Drawn beside the app, because an open dialog covers, and hides from screen readers, what is in it. */
export function Toaster({ theme }: { theme: 'light' | 'dark' | 'system' }) {
  return createPortal(
    <NoticeFocus>
      <Base
        theme={theme}
        position="bottom-right"
        mobileOffset={{ bottom: '4.5rem' }}
        containerAriaLabel="Notifications"
        style={toastColors}
        toastOptions={{
          actionButtonStyle: { background: 'var(--accent)', color: 'var(--on-accent)', height: '1.75rem' },
        }}
      />
    </NoticeFocus>,
    document.body,
  );
}
