import { Switch as Base } from '@base-ui/react/switch';

export interface SwitchProps {
  /** The accessible name. */
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

export function Switch({ label, checked, onChange, disabled = false }: SwitchProps) {
  return (
    <Base.Root
      aria-label={label}
      checked={checked}
      disabled={disabled}
      onCheckedChange={(next) => onChange(next)}
      className="relative inline-flex h-5 w-8.5 shrink-0 items-center rounded-full bg-line-strong p-0.5 transition-colors data-checked:bg-accent data-disabled:opacity-50"
    >
      <Base.Thumb className="size-4 rounded-full bg-white shadow-card transition-transform data-checked:translate-x-3.5 dark:data-checked:bg-on-accent" />
    </Base.Root>
  );
}
