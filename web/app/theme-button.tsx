import { Monitor, Moon, Sun } from 'lucide-react';
import { IconButton } from '../ui/icon-button.tsx';
import { setTheme, type Theme, useTheme } from './theme/theme.ts';

const next: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const icons = { system: <Monitor aria-hidden />, light: <Sun aria-hidden />, dark: <Moon aria-hidden /> };

/** Goes round: as the system, light, dark. */
export function ThemeButton() {
  const theme = useTheme();
  return <IconButton label={`Theme: ${theme}`} icon={icons[theme]} onClick={() => setTheme(next[theme])} />;
}
