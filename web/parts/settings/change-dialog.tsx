import { FileText, Trash2, TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { AppliedSettings, SettingsPreview } from '../../../src/settings/app-settings.ts';
import { deletionDelay } from '../../../src/settings/deletion-delay.ts';
import { type SettingsChange, useApplySettings, usePreviewSettings, useSettings } from '../../api/settings-queries.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { ChangeItem } from '../../ui/change-item.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { showToast } from '../../ui/toast.tsx';
import type { FormDraft } from '../drafts/use-form-draft.ts';

export interface ChangeDialogProps {
  title: string;
  description?: ReactNode;
  submit?: string;
  /** Whether the change removes something. Its button says so again where the lines of the config file are shown. */
  danger?: boolean;
  /** Returns the change, or null if the form is not valid or the user decides against it. */
  change: () => SettingsChange | null | Promise<SettingsChange | null>;
  /** A change that the dialog offers besides the one in its form. */
  alternative?: { label: string; change: SettingsChange } | undefined;
  /** Of the form in the dialog. */
  draft?: Pick<FormDraft<unknown>, 'save'>;
  onClose: () => void;
  /** Asks before the dialog closes unsaved. A click outside then keeps it open. */
  mayClose?: (() => Promise<boolean>) | undefined;
  children?: ReactNode;
}

interface Step {
  change: SettingsChange;
  preview: SettingsPreview;
}

/** Changes settings. A change to the config file is shown line by line before it is written, and a deletion is announced. */
export function ChangeDialog({
  title,
  description,
  submit = 'Save',
  danger = false,
  change,
  alternative,
  draft,
  onClose,
  mayClose,
  children,
}: ChangeDialogProps) {
  const preview = usePreviewSettings();
  const apply = useApplySettings();
  const [step, setStep] = useState<Step>();
  /** While the change is being asked for. */
  const [isAsking, setIsAsking] = useState(false);
  const { data } = useSettings();
  const file = data?.file?.name ?? 'the config file';
  const request = {
    isPending: isAsking || preview.isPending || apply.isPending,
    isSuccess: apply.isSuccess,
    error: apply.error ?? preview.error,
  };

  const close = async () => {
    if (mayClose === undefined || (await mayClose())) onClose();
  };
  const submitForm = async () => {
    if (request.isPending) return;
    setIsAsking(true);
    try {
      begin(await change());
    } finally {
      setIsAsking(false);
    }
  };
  const begin = (wanted: SettingsChange | null) => {
    if (wanted === null) return;
    apply.reset();
    preview.mutate(wanted, {
      onSuccess: (found) => {
        const next = { change: wanted, preview: found };
        if (found.lines.length > 0 || found.deletes.length > 0) setStep(next);
        else finish(next);
      },
    });
  };
  const finish = ({ change: wanted, preview: { hash } }: Step) => {
    const onSaved = ({ where, isHeld, needsRestart }: AppliedSettings) => {
      const next = isHeld
        ? `It is held until you trust ${file}.`
        : needsRestart
          ? 'Restart the hub to apply it.'
          : 'It applies now.';
      showToast(where === 'file' ? `Saved in ${file}` : 'Saved', { description: next });
    };
    const applied = apply.mutateAsync({ change: wanted, hash });
    if (draft) draft.save(applied, { onSaved, whileOpen: onClose });
    else
      applied.then(
        (reply) => {
          onSaved(reply);
          onClose();
        },
        // The dialog shows it.
        () => {},
      );
  };

  if (step) {
    const { lines, deletes, needsRestart, creates } = step.preview;
    const isInFile = lines.length > 0;
    const target = creates ?? file;
    return (
      <FormDialog
        title={
          !isInFile ? 'Delete older history?' : danger ? title : `${creates === null ? 'Change' : 'Create'} ${target}`
        }
        description={
          isInFile && (
            <>
              {danger && <>{description} </>}
              {creates === null
                ? `Only these lines${danger ? ` of ${target}` : ''} change. Comments and everything else stay as they are.`
                : 'The hub has no config file yet. Only your user account can read this one.'}
            </>
          )
        }
        submit={
          !isInFile
            ? 'Save and delete'
            : danger
              ? `Remove from ${file}`
              : creates === null
                ? `Write to ${file}`
                : 'Create the file'
        }
        submitIcon={isInFile && !danger ? <FileText aria-hidden /> : <Trash2 aria-hidden />}
        danger={danger || deletes.length > 0}
        onSubmit={() => finish(step)}
        onClose={() => void close()}
        staysOnClickOutside={mayClose !== undefined}
        request={request}
        failure="Nothing was written. "
        note={
          children && (
            <Button className="mr-auto" onClick={() => setStep(undefined)}>
              Back
            </Button>
          )
        }
      >
        {isInFile && (
          <ul>
            <ChangeItem kind={creates === null ? 'changed' : 'added'} title={target} lines={toDiff(step.preview)} />
          </ul>
        )}
        {isInFile && data?.file?.folder && hasAddress(step) && (
          <Banner tone="warn" icon={<TriangleAlert aria-hidden />}>
            {file} is in a working folder, where others may see it, and the address is written as it is shown here. If a
            part of it is a secret, go back and enter a variable instead of this part, such as{' '}
            <code className="font-mono text-xs">{`\${WEBHOOK_PATH}`}</code>.
          </Banner>
        )}
        {deletes.length > 0 && (
          <Banner tone="warn" icon={<Trash2 aria-hidden />}>
            This deletes {deletedText(deletes)}
            {ageText(step.change)} for good {deletionDelay(data?.settings ?? [])}.
          </Banner>
        )}
        {needsRestart && (
          <Banner tone="info" icon={<FileText aria-hidden />}>
            Restart the hub to apply this change.
          </Banner>
        )}
      </FormDialog>
    );
  }
  return (
    <FormDialog
      title={title}
      description={description}
      submit={submit}
      danger={danger}
      onSubmit={() => void submitForm()}
      onClose={() => void close()}
      staysOnClickOutside={mayClose !== undefined}
      request={request}
      note={
        alternative && (
          <Button className="mr-auto" disabled={request.isPending} onClick={() => begin(alternative.change)}>
            {alternative.label}
          </Button>
        )
      }
    >
      {children}
    </FormDialog>
  );
}

/** Whether an address is written that may have a secret in its path, which cannot be told from other words. */
function hasAddress({ change: { kind }, preview: { lines } }: Step): boolean {
  const isEntry = kind === 'webhook' || kind === 'peer';
  return (
    isEntry && lines.some(({ kind: line, text }) => line === 'added' && /^\s*url = "[a-z]+:\/\/[^/"]+\/[^"]/.test(text))
  );
}

const deletedWords = { log: 'logged call', runs: 'run', chats: 'chat' } as const;

function deletedText(deletes: SettingsPreview['deletes']): string {
  const texts = deletes.map(({ what, count }) => formatCount(count, deletedWords[what]));
  return new Intl.ListFormat('en').format(texts);
}

/** How old what is deleted is, if the change says so. */
function ageText(change: SettingsChange): string {
  const value = change.kind === 'values' && change.values.length === 1 ? change.values[0]?.value : null;
  return typeof value === 'number' ? ` older than ${formatCount(value, 'day')}` : '';
}

function toDiff({ lines }: SettingsPreview) {
  return lines.map(({ kind, line, text }) => ({
    kind,
    text,
    before: kind === 'removed' ? line : null,
    after: kind === 'added' ? line : null,
  }));
}
