import { type FormEvent, type KeyboardEventHandler, type ReactNode, useId } from 'react';
import { Button } from './button.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';
import { errorText } from './error-state.tsx';

export interface FormDialogProps extends Omit<DialogProps, 'open' | 'footer'> {
  /** The submit button's label. */
  submit: ReactNode;
  submitIcon?: ReactNode;
  /** Whether submitting removes something. */
  danger?: boolean;
  onSubmit: () => void;
  /** The request that submits the form. The button is busy until the dialog closes; an error appears below the fields. */
  request: { isPending: boolean; isSuccess: boolean; error: unknown };
  /** Precedes the error message. */
  failure?: string;
  cancel?: string;
  /** Shown before the buttons. */
  note?: ReactNode;
  onKeyDown?: KeyboardEventHandler<HTMLFormElement>;
}

/** A form in a dialog. Render it only while it is open. */
export function FormDialog({
  submit,
  submitIcon,
  danger = false,
  onSubmit,
  request: { isPending, isSuccess, error },
  failure = '',
  cancel = 'Cancel',
  note,
  onKeyDown,
  children,
  ...dialog
}: FormDialogProps) {
  const formId = useId();
  return (
    <Dialog
      {...dialog}
      open
      footer={
        <>
          {note}
          <Button onClick={dialog.onClose}>{cancel}</Button>
          <Button
            variant={danger ? 'danger' : 'primary'}
            type="submit"
            form={formId}
            busy={isPending || isSuccess}
            {...(submitIcon !== undefined && { icon: submitIcon })}
          >
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          onSubmit();
        }}
        {...(onKeyDown && { onKeyDown })}
      >
        {children}
        <FormError error={error} failure={failure} />
      </form>
    </Dialog>
  );
}

/** Shows why a form could not be submitted; nothing without an error. */
export function FormError({ error, failure = '' }: { error: unknown; failure?: string }) {
  if (!error) return null;
  return (
    <p role="alert" className="break-words rounded-lg bg-danger-soft px-3 py-2 text-danger text-sm">
      {failure}
      {errorText(error)}
    </p>
  );
}
