import { useState } from 'react';
import type { PermissionMatrixBody } from '../../../../src/team/members/members.contract.ts';
import { type SettingsChange, useSettings } from '../../../api/settings-queries.ts';
import { DraftNote } from '../../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../../parts/drafts/use-form-draft.ts';
import { ChangeDialog } from '../../../parts/settings/change-dialog.tsx';
import { OriginBadge } from '../../../parts/settings/origin-badge.tsx';
import { memberTypeNames } from '../../../parts/team/member-badge.tsx';
import { labelsIn } from '../../../ui/labels-in.ts';
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
  const drafts = { allow: useRulesDraft(rules, 'allow'), deny: useRulesDraft(rules, 'deny') };
  const draft = drafts[list];
  const key = `permissions.${rules.type}.${list}` as const;
  const setting = data?.settings.find((each) => each.key === key);
  // The version that was shown first: a later one must not be overwritten unseen.
  const [versions, setVersions] = useState<Partial<Record<typeof list, number | null>>>({});
  if (setting && !(list in versions)) setVersions({ ...versions, [list]: setting.version });
  const change = (value: string[] | null): SettingsChange => ({
    kind: 'values',
    values: [{ key, value, seen: versions[list] }],
  });
  const isSet = setting !== undefined && setting.origin.kind !== 'default';
  return (
    <ChangeDialog
      title={`Rules of ${memberTypeNames[rules.type]}`}
      description="One tool or pattern per line. * stands for any characters, as in mcp__mail__*. Deny rules win."
      submit={list === 'allow' ? 'Save allowed tools' : 'Save denied tools'}
      change={() => change(labelsIn(draft.value))}
      alternative={isSet ? { label: 'Use the default', change: change(null) } : undefined}
      draft={draft}
      onClose={onClose}
    >
      <DraftNote draft={draft} />
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
        value={draft.value}
        onChange={(event) => draft.set(event.target.value)}
      />
    </ChangeDialog>
  );
}

function useRulesDraft({ type, ...lists }: RulesDialogProps['rules'], list: 'allow' | 'deny') {
  const [start] = useState(lists[list].join('\n'));
  return useFormDraft(`setting/permissions/${type}/${list}`, start, { base: start });
}
