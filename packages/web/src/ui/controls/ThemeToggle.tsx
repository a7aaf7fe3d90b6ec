import { Moon, Sun, SunMoon } from 'lucide-react';
import { IconButton } from './IconButton.tsx';

export type Theme = 'light' | 'dark' | 'auto';

const NEXT: Record<Theme, Theme> = { auto: 'light', light: 'dark', dark: 'auto' };
const ICONS = { light: Sun, dark: Moon, auto: SunMoon };

type ThemeToggleProps = { theme: Theme; onChange: (theme: Theme) => void };

/** Goes through auto, light and dark. */
export function ThemeToggle({ theme, onChange }: ThemeToggleProps) {
  const Icon = ICONS[theme];
  return (
    <IconButton
      label={`Theme: ${theme}. Change to ${NEXT[theme]}`}
      icon={<Icon size={18} aria-hidden />}
      onClick={() => onChange(NEXT[theme])}
    />
  );
}
