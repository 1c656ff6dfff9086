import { useState } from 'react';
import type { SettingBody, SettingKey } from '../../../src/settings/app-settings.ts';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { useFormDraft } from '../../parts/drafts/use-form-draft.ts';
import { ChangeDialog } from '../../parts/settings/change-dialog.tsx';
import { FormError } from '../../ui/form-dialog.tsx';
import { TextField } from '../../ui/input.tsx';
import { labelsIn } from '../../ui/labels-in.ts';
import { settingWords } from './setting-words.ts';

/** These need each other, so they are changed together. */
export const addressKeys = [
  'server.bind',
  'server.public_url',
  'server.trusted_proxies',
  'server.cert',
  'server.key',
] as const satisfies readonly SettingKey[];
type AddressKey = (typeof addressKeys)[number];

/** Changes where the hub listens and how others reach it. An empty field stands for the default. */
export function AddressDialog({ settings, onClose }: { settings: readonly SettingBody[]; onClose: () => void }) {
  const [start] = useState(() => textsOf(settings));
  const draft = useFormDraft('setting/server', start, { base: JSON.stringify(start) });
  const [isTried, setIsTried] = useState(false);
  const changed = addressKeys.filter((key) => draft.value[key].trim() !== start[key]);
  return (
    <ChangeDialog
      title="Address"
      description="To make the hub reachable from other machines, enter a certificate and its key, or the public address and the proxies that serve it."
      change={() => {
        setIsTried(true);
        if (changed.length === 0) return null;
        const values = changed.map((key) => ({ key, value: toSetting(key, draft.value[key].trim()) }));
        return { kind: 'values', values };
      }}
      draft={draft}
      onClose={onClose}
    >
      <DraftNote draft={draft} />
      {addressKeys.map((key) => (
        <TextField
          key={key}
          label={settingWords[key]?.title ?? key}
          hint={settingWords[key]?.hint}
          autoComplete="off"
          spellCheck={false}
          inputClass="font-mono"
          placeholder={settingWords[key]?.placeholder}
          value={draft.value[key]}
          onChange={(event) => draft.set({ ...draft.value, [key]: event.target.value })}
        />
      ))}
      {isTried && changed.length === 0 && <FormError error={new Error('Nothing has changed yet.')} />}
    </ChangeDialog>
  );
}

function textsOf(settings: readonly SettingBody[]): Record<AddressKey, string> {
  const textOf = (wanted: AddressKey) => {
    const value = settings.find(({ key }) => key === wanted)?.value ?? '';
    return Array.isArray(value) ? value.join(', ') : String(value);
  };
  return {
    'server.bind': textOf('server.bind'),
    'server.public_url': textOf('server.public_url'),
    'server.trusted_proxies': textOf('server.trusted_proxies'),
    'server.cert': textOf('server.cert'),
    'server.key': textOf('server.key'),
  };
}

function toSetting(key: AddressKey, text: string): string | string[] | null {
  if (text === '') return null;
  return key === 'server.trusted_proxies' ? labelsIn(text) : text;
}
