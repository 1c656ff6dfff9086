import { type FormEvent, type KeyboardEventHandler, type ReactNode, useId } from 'react';
import { Button } from './button.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';
import { errorText } from './error-state.tsx';

export interface FormDialogProps extends Omit<DialogProps, 'open' | 'footer'> {
  /** On the main button. */
  submit: ReactNode;
  submitIcon?: ReactNode;
  onSubmit: () => void;
  /** The request that saves it: busy until the dialog closes, with its error below the fields. */
  request: { isPending: boolean; isSuccess: boolean; error: unknown };
  /** Says before the error what did not happen. */
  failure?: string;
  cancel?: string;
  /** Before the buttons. */
  note?: ReactNode;
  onKeyDown?: KeyboardEventHandler<HTMLFormElement>;
}

/** A dialog that is a form; it is drawn only while it is open. */
export function FormDialog({
  submit,
  submitIcon,
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
            variant="primary"
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

/** Why a form could not be sent; nothing while there is no reason. */
export function FormError({ error, failure = '' }: { error: unknown; failure?: string }) {
  if (!error) return null;
  return (
    <p role="alert" className="break-words rounded-lg bg-danger-soft px-3 py-2 text-danger text-sm">
      {failure}
      {errorText(error)}
    </p>
  );
}
