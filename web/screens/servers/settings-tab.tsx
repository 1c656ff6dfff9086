import { Lock, Save } from 'lucide-react';
import type { FormEvent } from 'react';
import type { ServerInfo } from '../../../src/servers/servers.ts';
import { ApiError } from '../../api/client.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { FormError } from '../../ui/form-dialog.tsx';
import { Switch } from '../../ui/switch.tsx';
import { AdvancedFields } from './advanced-fields.tsx';
import { CommandFields, UrlFields } from './server-fields.tsx';
import type { ServerSettings } from './use-server-settings.ts';

/** How the server is set up: a form for those of the store, the same to read for those of the config. */
export function SettingsTab({ server, settings }: { server: ServerInfo; settings: ServerSettings }) {
  const isEditable = server.origin === 'store';
  const { fields, isDirty, isOutdated, isSaving, isSaved, error } = settings;
  const { form } = fields;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    settings.save();
  };

  return (
    <form noValidate onSubmit={onSubmit} className="flex max-w-3xl flex-col gap-4">
      {!isEditable && (
        <Banner tone="info" icon={<Lock />}>
          Defined in {server.place}, so it is changed there; the hub notices when the file is saved. Turning tools off,
          renaming and accepting them works here all the same.
        </Banner>
      )}
      {isOutdated && isDirty && !isSaving && (
        <Banner
          tone="warn"
          icon={<Lock />}
          actions={
            <Button size="sm" onClick={settings.undo}>
              Take what is saved
            </Button>
          }
        >
          It was changed elsewhere while you edited.
        </Banner>
      )}
      <fieldset disabled={!isEditable} className="disabled:[&_[role=combobox]]:opacity-60 flex min-w-0 flex-col gap-4">
        <div className="flex items-center gap-3 rounded-xl border border-line bg-surface px-3.5 py-3">
          <div className="min-w-0 flex-1">
            <p className="font-medium text-sm">Use this server</p>
            <p className="text-muted text-xs">Turned off it is not connected, and its tools are not offered.</p>
          </div>
          <Switch
            label="Use this server"
            checked={form.enabled}
            disabled={!isEditable}
            onChange={(enabled) => fields.onChange({ enabled })}
          />
        </div>
        {form.transport === 'stdio' ? <CommandFields {...fields} /> : <UrlFields {...fields} />}
        <hr className="border-line" />
        <AdvancedFields {...fields} name={server.name} />
      </fieldset>
      <FormError error={isConflict(error) ? null : error} />
      {isEditable && (
        <div className="sticky bottom-0 z-10 flex items-center gap-2 border-line border-t bg-bg py-3 max-md:bottom-14">
          <p role="status" className="flex-1 text-muted text-xs">
            {isDirty
              ? 'It is connected anew. A masked secret keeps its value.'
              : isSaved
                ? 'Saved.'
                : 'Nothing changed.'}
          </p>
          <Button disabled={!isDirty} onClick={settings.undo}>
            Undo
          </Button>
          <Button variant="primary" type="submit" icon={<Save aria-hidden />} busy={isSaving} disabled={!isDirty}>
            Save
          </Button>
        </div>
      )}
    </form>
  );
}

/** The banner says it. */
function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.isConflict;
}
