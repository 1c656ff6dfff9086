import type { ComponentProps } from 'react';
import { classes } from './classes.ts';
import { controlClass, Field, type FieldProps } from './field.tsx';

/** Grows with its text if the browser supports `field-sizing`. */
function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      rows={3}
      {...rest}
      className={classes(controlClass, 'field-sizing-content min-h-20 px-2.5 py-2 text-sm', className)}
    />
  );
}

export type TextareaFieldProps = Omit<FieldProps, 'children'> &
  Omit<ComponentProps<'textarea'>, 'id'> & { inputClass?: string };

export function TextareaField({ label, hideLabel, hint, error, className, inputClass, ...rest }: TextareaFieldProps) {
  return (
    <Field
      label={label}
      {...(hideLabel && { hideLabel })}
      {...(hint !== undefined && { hint })}
      {...(error !== undefined && { error })}
      {...(className && { className })}
    >
      {(parts) => <Textarea {...rest} {...parts} {...(inputClass && { className: inputClass })} />}
    </Field>
  );
}
