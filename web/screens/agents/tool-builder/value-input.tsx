import { type ComponentProps, useState } from 'react';
import { readNumber, UnreadText } from '../../../parts/schema-form/form-value.ts';
import { Input } from '../../../ui/input.tsx';
import { textOf } from './keyword-table.ts';
import type { Typed } from './schema-node.ts';

type ValueInputProps = Omit<ComponentProps<typeof Input>, 'value' | 'onChange'> & {
  isNumber: boolean;
  value: Typed;
  set: (value: Typed) => void;
};

/** A text or a number. What was typed stays as it was typed, although 1.0 is 1. */
export function ValueInput({ isNumber, value, set, ...rest }: ValueInputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = isNumber && typed !== null && isSame(numberIn(typed), value) ? typed : textOf(value);
  return (
    <Input
      {...rest}
      inputMode={isNumber ? 'decimal' : 'text'}
      autoComplete="off"
      value={shown}
      onChange={(event) => {
        setTyped(event.target.value);
        set(isNumber ? numberIn(event.target.value) : event.target.value);
      }}
    />
  );
}

function numberIn(text: string): Typed {
  return readNumber(text) ?? new UnreadText(text);
}

function isSame(left: Typed, right: Typed): boolean {
  if (left instanceof UnreadText && right instanceof UnreadText) return left.text === right.text;
  return left === right;
}
