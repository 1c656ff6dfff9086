import { classes } from '../../ui/classes.ts';

const marks: Record<string, [letters: string, colors: string]> = {
  cursor: ['Cu', 'bg-[#2b2b30] text-white'],
  vscode: ['VS', 'bg-[#1f6fb8] text-white'],
  'claude-code': ['CC', 'bg-[#b4532f] text-white'],
  'claude-desktop': ['Cl', 'bg-[#c96f4a] text-[#2a120a]'],
  codex: ['Cx', 'bg-[#0d7f68] text-white'],
  'gemini-cli': ['Ge', 'bg-[#3d62d8] text-white'],
  opencode: ['oc', 'bg-[#575049] text-white'],
  'lm-studio': ['LM', 'bg-[#5b46c9] text-white'],
  goose: ['Go', 'bg-[#f0c64a] text-[#2b2205]'],
};

/** Two letters on a colour: nobody's logo, but easy to find again. */
export function ClientMark({ id, name, size = 'md' }: { id: string; name: string; size?: 'md' | 'lg' }) {
  const [letters, colors] = marks[id] ?? [name.slice(0, 2), 'bg-pressed text-text'];
  return (
    <span
      aria-hidden
      className={classes(
        'inline-flex shrink-0 items-center justify-center font-display font-semibold tracking-tight',
        size === 'md' ? 'size-7 rounded-lg text-xs' : 'size-11 rounded-xl text-base',
        colors,
      )}
    >
      {letters}
    </span>
  );
}
