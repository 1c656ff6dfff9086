import type { ComponentProps } from 'react';
import { classes } from './classes.ts';
import { controlClass, Field, type FieldProps } from './field.tsx';

/** A bare input. Pass `aria-label`, or wrap it in a Field. */
export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input type="text" {...rest} className={classes(controlClass, 'h-8 px-2.5 text-sm max-md:h-10', className)} />;
}

export type TextFieldProps = Omit<FieldProps, 'children'> &
  Omit<ComponentProps<'input'>, 'id'> & { inputClass?: string };

/** An input with its label, hint and error. */
export function TextField({ label, hideLabel, hint, error, className, inputClass, ...rest }: TextFieldProps) {
  return (
    <Field
      label={label}
      {...(hideLabel && { hideLabel })}
      {...(hint !== undefined && { hint })}
      {...(error !== undefined && { error })}
      {...(className && { className })}
    >
      {(parts) => <Input {...rest} {...parts} {...(inputClass && { className: inputClass })} />}
    </Field>
  );
}
