import { useState } from 'react';
import type { PermissionMatrixBody } from '../../../../src/team/members/members.contract.ts';
import { type SettingsChange, useSettings } from '../../../api/settings-queries.ts';
import { ChangeDialog } from '../../../parts/settings/change-dialog.tsx';
import { listOf } from '../../../parts/settings/list-text.ts';
import { OriginBadge } from '../../../parts/settings/origin-badge.tsx';
import { memberTypeNames } from '../../../parts/team/member-badge.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { TextareaField } from '../../../ui/textarea.tsx';

export interface RulesDialogProps {
  rules: PermissionMatrixBody['types'][number];
  onClose: () => void;
}

/** Edits one list of rules at a time: each list may come from another place. */
export function RulesDialog({ rules, onClose }: RulesDialogProps) {
  const { data } = useSettings();
  const [list, setList] = useState<'allow' | 'deny'>('allow');
  const [texts, setTexts] = useState({ allow: rules.allow.join('\n'), deny: rules.deny.join('\n') });
  const key = `permissions.${rules.type}.${list}` as const;
  const setting = data?.settings.find((each) => each.key === key);
  const change = (value: string[] | null): SettingsChange => ({ kind: 'values', values: [{ key, value }] });
  const isSet = setting !== undefined && setting.origin.kind !== 'default';
  return (
    <ChangeDialog
      title={`Rules of ${memberTypeNames[rules.type]}`}
      description="One tool or pattern per line. * stands for any characters, as in mcp__mail__*. Deny rules win."
      submit={list === 'allow' ? 'Save allowed tools' : 'Save denied tools'}
      change={() => change(listOf(texts[list]))}
      alternative={isSet ? { label: 'Use the default', change: change(null) } : undefined}
      onClose={onClose}
    >
      <div className="flex flex-wrap items-center gap-2">
        <Segmented
          label="List"
          value={list}
          onChange={setList}
          options={[
            { value: 'allow', label: 'Allow' },
            { value: 'deny', label: 'Deny' },
          ]}
        />
        {setting && <OriginBadge origin={setting.origin} file={data?.file?.name} />}
      </div>
      <TextareaField
        key={list}
        label={list === 'allow' ? 'Allowed tools' : 'Denied tools'}
        rows={8}
        spellCheck={false}
        inputClass="font-mono"
        value={texts[list]}
        onChange={(event) => setTexts({ ...texts, [list]: event.target.value })}
      />
    </ChangeDialog>
  );
}
