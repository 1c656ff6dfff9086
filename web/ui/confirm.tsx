import { useRouter } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ForeignText } from './foreign-text.tsx';

export interface Question {
  title: string;
  message?: string;
  /** Shown below the message. The texts may come from a stranger. */
  list?: readonly string[];
  confirmLabel: string;
  /** A second way to continue, which discards something. */
  otherLabel?: string;
  cancelLabel?: string;
  danger?: boolean;
}

export type Answer = 'yes' | 'other' | 'no';

type Pending = Question & { answer: (answer: Answer) => void };

let pending: Pending | null = null;
const listeners = new Set<() => void>();

/** Asks in a dialog before an action that cannot be undone. For one that can, show a toast with Undo instead. */
export async function confirm(question: Question): Promise<boolean> {
  return (await ask(question)) === 'yes';
}

/** Asks in a dialog that offers more than yes and no. */
export function ask(question: Question): Promise<Answer> {
  pending?.answer('no');
  return new Promise((resolve) => {
    setPending({
      ...question,
      answer: (answer) => {
        setPending(null);
        resolve(answer);
      },
    });
  });
}

/** Renders the open question. Mount it once. */
export function ConfirmHost() {
  const question = useSyncExternalStore(subscribe, () => pending);
  const { history } = useRouter();
  // A question is about the screen that asked it. The address of a screen is replaced while it follows a search.
  useEffect(() => {
    let { pathname } = history.location;
    return history.subscribe(({ action, location }) => {
      if (action.type !== 'REPLACE' || location.pathname !== pathname) pending?.answer('no');
      pathname = location.pathname;
    });
  }, [history]);
  return (
    <Dialog
      open={question !== null}
      onClose={() => question?.answer('no')}
      size="sm"
      title={question?.title ?? ''}
      description={question?.message}
      footer={
        <>
          <Button onClick={() => question?.answer('no')}>{question?.cancelLabel ?? 'Cancel'}</Button>
          {question?.otherLabel && (
            <Button variant="danger" onClick={() => question.answer('other')}>
              {question.otherLabel}
            </Button>
          )}
          <Button variant={question?.danger ? 'danger' : 'primary'} onClick={() => question?.answer('yes')}>
            {question?.confirmLabel ?? 'OK'}
          </Button>
        </>
      }
    >
      {question?.list && (
        <ul className="flex list-disc flex-col gap-1.5 pl-5 text-sm [overflow-wrap:anywhere]">
          {question.list.map((each) => (
            <li key={each}>
              <ForeignText text={each} />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}

function setPending(next: Pending | null): void {
  pending = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
