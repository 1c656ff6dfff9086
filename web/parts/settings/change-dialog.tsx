import { FileText } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { SettingsPreview } from '../../../src/settings/app-settings.ts';
import { type SettingsChange, useApplySettings, usePreviewSettings, useSettings } from '../../api/settings-queries.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { ChangeItem } from '../../ui/change-item.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { showToast } from '../../ui/toast.tsx';

export interface ChangeDialogProps {
  title: string;
  description?: ReactNode;
  submit?: string;
  /** Returns the change, or null if the form is not valid. */
  change: () => SettingsChange | null;
  /** A change that the dialog offers besides the one in its form. */
  alternative?: { label: string; change: SettingsChange } | undefined;
  onClose: () => void;
  children?: ReactNode;
}

interface Step {
  change: SettingsChange;
  preview: SettingsPreview;
}

/** Changes settings. A change to the config file is shown line by line before it is written. */
export function ChangeDialog({
  title,
  description,
  submit = 'Save',
  change,
  alternative,
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
        if (found.where === 'file' && found.lines.length > 0) setStep(next);
        else finish(next);
      },
    });
  };
  const finish = (last: Step) =>
    apply.mutate(
      { change: last.change, hash: last.preview.hash },
      {
        onSuccess: ({ where, isHeld, needsRestart }) => {
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
    return (
      <FormDialog
        title={`Change ${file}`}
        description="Only these lines change. Comments and everything else stay as they are."
        submit={`Write to ${file}`}
        submitIcon={<FileText aria-hidden />}
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
        <ul>
          <ChangeItem kind="changed" title={file} lines={toDiff(step.preview)} />
        </ul>
        {step.preview.needsRestart && (
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

function toDiff({ lines }: SettingsPreview) {
  return lines.map(({ kind, line, text }) => ({
    kind,
    text,
    before: kind === 'removed' ? line : null,
    after: kind === 'added' ? line : null,
  }));
}
