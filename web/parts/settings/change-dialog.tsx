import { FileText, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { SettingsPreview } from '../../../src/settings/app-settings.ts';
import { type SettingsChange, useApplySettings, usePreviewSettings, useSettings } from '../../api/settings-queries.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { ChangeItem } from '../../ui/change-item.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { showToast } from '../../ui/toast.tsx';

export interface ChangeDialogProps {
  title: string;
  description?: ReactNode;
  submit?: string;
  /** Returns the change, or null if the form is not valid. */
  change: () => SettingsChange | null;
  /** A change that the dialog offers besides the one in its form. */
  alternative?: { label: string; change: SettingsChange } | undefined;
  /** Called when the change was made, before the dialog closes. */
  onApplied?: () => void;
  onClose: () => void;
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
  change,
  alternative,
  onApplied,
  onClose,
  children,
}: ChangeDialogProps) {
  const preview = usePreviewSettings();
  const apply = useApplySettings();
  const [step, setStep] = useState<Step>();
  const file = useSettings().data?.file?.name ?? 'the config file';
  const request = {
    isPending: preview.isPending || apply.isPending,
    isSuccess: apply.isSuccess,
    error: apply.error ?? preview.error,
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
  const finish = (last: Step) =>
    apply.mutate(
      { change: last.change, hash: last.preview.hash },
      {
        onSuccess: ({ where, isHeld, needsRestart }) => {
          onApplied?.();
          onClose();
          const next = isHeld
            ? `It is held until you trust ${file}.`
            : needsRestart
              ? 'Restart the hub to apply it.'
              : 'It applies now.';
          showToast(where === 'file' ? `Saved in ${file}` : 'Saved', { description: next });
        },
      },
    );

  if (step) {
    const { lines, deletes, needsRestart } = step.preview;
    const isInFile = lines.length > 0;
    return (
      <FormDialog
        title={isInFile ? `Change ${file}` : 'Delete older history?'}
        description={isInFile ? 'Only these lines change. Comments and everything else stay as they are.' : undefined}
        submit={isInFile ? `Write to ${file}` : 'Save and delete'}
        submitIcon={isInFile ? <FileText aria-hidden /> : <Trash2 aria-hidden />}
        onSubmit={() => finish(step)}
        onClose={onClose}
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
            <ChangeItem kind="changed" title={file} lines={toDiff(step.preview)} />
          </ul>
        )}
        {deletes.length > 0 && (
          <Banner tone="warn" icon={<Trash2 aria-hidden />}>
            Within a minute, this deletes {deletedText(deletes)} for good.
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
      onSubmit={() => begin(change())}
      onClose={onClose}
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

const deletedWords = { log: 'logged call', runs: 'run', chats: 'chat' } as const;

function deletedText(deletes: SettingsPreview['deletes']): string {
  const texts = deletes.map(({ what, count }) => formatCount(count, deletedWords[what]));
  return new Intl.ListFormat('en').format(texts);
}

function toDiff({ lines }: SettingsPreview) {
  return lines.map(({ kind, line, text }) => ({
    kind,
    text,
    before: kind === 'removed' ? line : null,
    after: kind === 'added' ? line : null,
  }));
}
