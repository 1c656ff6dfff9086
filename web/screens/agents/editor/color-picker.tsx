import { Check } from 'lucide-react';
import { useState } from 'react';
import { Input } from '../../../ui/input.tsx';
import { Popover } from '../../../ui/popover.tsx';
import { categoryPalette } from './edit-skills.ts';

export interface ColorPickerProps {
  /** Such as "Color of Code". */
  label: string;
  value: string;
  onChange: (color: string) => void;
  disabled: boolean;
}

export function ColorPicker({ label, value, onChange, disabled }: ColorPickerProps) {
  return (
    <Popover
      title={label}
      trigger={
        <button
          type="button"
          aria-label={label}
          disabled={disabled}
          className="flex size-7 shrink-0 items-center justify-center rounded-lg hover:bg-hover disabled:pointer-events-none max-md:size-9"
        >
          <span style={{ backgroundColor: value }} className="size-3.5 rounded-full ring-1 ring-line-strong" />
        </button>
      }
    >
      <Swatches value={value} onChange={onChange} />
    </Popover>
  );
}

function Swatches({ value, onChange }: Pick<ColorPickerProps, 'value' | 'onChange'>) {
  const [typed, setTyped] = useState(value);
  const choose = (color: string) => {
    setTyped(color);
    onChange(color);
  };
  const type = (text: string) => {
    setTyped(text);
    const hex = text.startsWith('#') ? text : `#${text}`;
    if (/^#[0-9a-fA-F]{6}$/.test(hex)) onChange(hex.toLowerCase());
  };
  return (
    <div className="flex w-46 flex-col gap-3">
      <fieldset aria-label="Palette" className="grid grid-cols-5 gap-2">
        {categoryPalette.map(({ color, name }) => (
          <button
            key={color}
            type="button"
            aria-label={name}
            aria-pressed={color === value.toLowerCase()}
            title={name}
            onClick={() => choose(color)}
            style={{ backgroundColor: color }}
            className="flex size-7 items-center justify-center rounded-full text-white"
          >
            {color === value.toLowerCase() && <Check aria-hidden className="size-4" />}
          </button>
        ))}
      </fieldset>
      <div className="flex items-center gap-2">
        <input
          type="color"
          aria-label="Custom color"
          value={value}
          onChange={(event) => choose(event.target.value)}
          className="size-8 shrink-0 cursor-pointer rounded-lg border border-line-strong bg-raised p-0.5"
        />
        <Input
          aria-label="Hex color"
          value={typed}
          onChange={(event) => type(event.target.value)}
          spellCheck={false}
          maxLength={7}
          className="font-mono"
        />
      </div>
    </div>
  );
}
