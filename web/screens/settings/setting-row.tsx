import { useRouterState } from '@tanstack/react-router';
import { PencilLine } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { SettingBody, SettingKey } from '../../../src/settings/app-settings.ts';
import type { SettingsChange } from '../../api/settings-queries.ts';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { ChangeDialog } from '../../parts/settings/change-dialog.tsx';
import { OriginBadge } from '../../parts/settings/origin-badge.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { TextField } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { kindOf, problemOf, type SettingWords, settingWords, toValue } from './setting-words.ts';

export interface SettingRowProps {
  setting: SettingBody;
  file: string | undefined;
  /** Replaces the dialog that changes only this setting. */
  dialog?: ((onClose: () => void) => ReactNode) | undefined;
}

/** One setting: what it means, its value, where that comes from, and a button to change it. */
export function SettingRow({ setting, file, dialog }: SettingRowProps) {
  const [isOpen, setIsOpen] = useState(false);
  const words = settingWords[setting.key];
  if (!words) return null;
  return (
    <Row
      id={setting.key}
      title={words.title}
      description={words.description}
      badges={
        <>
          <OriginBadge origin={setting.origin} file={file} />
          {setting.needsRestart && (
            <Badge {...(setting.isPending && { tone: 'warn' as const })}>
              {setting.isPending ? 'Restart pending' : 'Changes need a restart'}
            </Badge>
          )}
          {setting.heldLine !== null && (
            <Badge tone="warn" title="Trust the folder to apply it">{`Line ${setting.heldLine} awaits trust`}</Badge>
          )}
        </>
      }
      note={setting.readOnly}
      value={words.show(setting.value)}
      action={
        setting.readOnly === null && (
          <Button
            size="sm"
            icon={<PencilLine aria-hidden />}
            onClick={() => setIsOpen(true)}
            aria-label={`Change ${words.title}`}
          >
            Change
          </Button>
        )
      }
    >
      {isOpen &&
        (dialog?.(() => setIsOpen(false)) ?? (
          <EditDialog setting={setting} words={words} onClose={() => setIsOpen(false)} />
        ))}
    </Row>
  );
}

interface RowProps {
  /** An address with this hash gives it the focus. */
  id?: SettingKey;
  title: string;
  description: ReactNode;
  badges?: ReactNode;
  note?: ReactNode;
  value: ReactNode;
  action?: ReactNode;
  children?: ReactNode;
}

export function Row({ id, title, description, badges, note, value, action, children }: RowProps) {
  const item = useRef<HTMLLIElement>(null);
  const isAsked = useRouterState({ select: ({ location }) => id !== undefined && location.hash === id });
  useEffect(() => {
    if (isAsked) item.current?.focus();
  }, [isAsked]);
  return (
    <li
      ref={item}
      id={id}
      data-row
      tabIndex={-1}
      className="flex outline-offset-[-2px] flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3.5"
    >
      <div className="min-w-0 flex-1 basis-64">
        <h3 className="font-medium text-sm">{title}</h3>
        <p className="mt-0.5 text-pretty text-muted text-sm">{description}</p>
        {note && <p className="mt-1 text-muted text-xs">{note}</p>}
        {badges && <div className="mt-2 flex flex-wrap gap-1.5">{badges}</div>}
      </div>
      <div className="flex min-w-0 items-center gap-3 max-sm:w-full max-sm:justify-between sm:pt-0.5">
        <span className="min-w-0 font-medium text-sm [overflow-wrap:anywhere]">{value}</span>
        {action}
      </div>
      {children}
    </li>
  );
}

export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-card border border-line bg-surface shadow-card">
      {children}
    </ul>
  );
}

function EditDialog({ setting, words, onClose }: { setting: SettingBody; words: SettingWords; onClose: () => void }) {
  // The version that was shown when the dialog opened: a later one must not be overwritten unseen.
  const [{ version: seen, value }] = useState(setting);
  const draft = useFormDraft(`setting/${setting.key}`, value === null ? '' : String(value), {
    base: JSON.stringify([seen, value]),
  });
  const text = draft.value;
  const [isTried, setIsTried] = useState(false);
  const problem = problemOf(setting.key, text);
  const toChange = (value: ReturnType<typeof toValue>): SettingsChange => ({
    kind: 'values',
    values: [{ key: setting.key, value, seen }],
  });
  const isSet = setting.origin.kind !== 'default';
  return (
    <ChangeDialog
      title={words.title}
      description={words.description}
      change={() => {
        setIsTried(true);
        return problem === undefined ? toChange(toValue(setting.key, text)) : null;
      }}
      alternative={
        isSet ? { label: `Use the default: ${words.show(setting.default)}`, change: toChange(null) } : undefined
      }
      draft={draft}
      onClose={onClose}
    >
      <DraftNote draft={draft} />
      <SettingControl
        settingKey={setting.key}
        words={words}
        text={text}
        onChange={draft.set}
        error={isTried ? problem : undefined}
      />
    </ChangeDialog>
  );
}

interface ControlProps {
  settingKey: SettingKey;
  words: SettingWords;
  text: string;
  onChange: (text: string) => void;
  error: string | undefined;
}

function SettingControl({ settingKey, words, text, onChange, error }: ControlProps) {
  const kind = kindOf(settingKey);
  if (words.options) {
    return (
      <Field label={words.label}>
        {({ id }) => (
          <Select id={id} label={words.label} value={text} onChange={onChange} options={words.options ?? []} />
        )}
      </Field>
    );
  }
  return (
    <TextField
      label={words.label}
      hint={words.hint}
      error={error}
      autoFocus
      autoComplete="off"
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      placeholder={words.placeholder}
      value={text}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
