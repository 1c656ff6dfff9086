import { Toaster as Base, toast } from 'sonner';
import { errorText } from './error-state.tsx';

export interface ToastAction {
  label: string;
  onClick: () => void;
}

/** Says that something happened; `action` is the way back. */
export function showToast(message: string, options: { description?: string; action?: ToastAction } = {}): void {
  toast(message, {
    ...(options.description && { description: options.description }),
    ...(options.action && { action: options.action, duration: 10_000 }),
  });
}

export function showError(title: string, error: unknown): void {
  toast.error(title, { description: errorText(error), duration: 8_000 });
}

export function Toaster({ theme }: { theme: 'light' | 'dark' | 'system' }) {
  return (
    <Base
      theme={theme}
      position="bottom-right"
      mobileOffset={{ bottom: '4.5rem' }}
      containerAriaLabel="Notifications"
      toastOptions={{
        classNames: { toast: 'zoo-toast', actionButton: 'zoo-toast-action', description: 'zoo-toast-description' },
      }}
    />
  );
}
