import { Outlet } from '@tanstack/react-router';
import { useLiveUpdates } from '../api/live.ts';
import { useTheme } from '../theme/theme.ts';
import { ConfirmHost } from '../ui/confirm.tsx';
import { Toaster } from '../ui/toast.tsx';

export function AppShell() {
  useLiveUpdates();
  return (
    <>
      <Outlet />
      <ConfirmHost />
      <Toaster theme={useTheme()} />
    </>
  );
}
