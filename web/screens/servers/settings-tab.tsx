import { Lock, Save } from 'lucide-react';
import type { FormEvent } from 'react';
import type { ServerInfo } from '../../../src/servers/servers.ts';
import { ApiError } from '../../api/client.ts';
import { DraftNote } from '../../parts/drafts/draft-note.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { FormError } from '../../ui/form-dialog.tsx';
import { Switch } from '../../ui/switch.tsx';
import { AdvancedFields } from './advanced-fields.tsx';
import { CommandFields, UrlFields } from './server-fields.tsx';
import type { ServerSettings } from './use-server-settings.ts';

/** The settings of a server: editable if stored, read-only if defined in the config. */
export function SettingsTab({ server, settings }: { server: ServerInfo; settings: ServerSettings }) {
  const isEditable = server.origin === 'store';
  const { fields, isDirty, isOutdated, isSaving, isSaved, error } = settings;
  const { form } = fields;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void settings.save();
  };

  return (
    <form noValidate onSubmit={onSubmit} className="flex max-w-3xl flex-col gap-4">
      {!isEditable && (
        <Banner tone="info" icon={<Lock />}>
          Defined in {server.place}. Edit that file to change these settings; the hub reloads it when you save. You can
          still accept, rename and turn off tools here.
        </Banner>
      )}
      {isOutdated && isDirty && !isSaving && (
        <Banner
          tone="warn"
          icon={<Lock />}
          actions={
            <Button size="sm" onClick={settings.undo}>
              Discard my changes
            </Button>
          }
        >
          These settings were changed elsewhere while you were editing.
        </Banner>
      )}
      <DraftNote draft={{ restored: settings.restored, isRefused: settings.isRefused, discard: settings.undo }} />
      <fieldset disabled={!isEditable} className="disabled:[&_[role=combobox]]:opacity-60 flex min-w-0 flex-col gap-4">
        <div className="flex items-center gap-3 rounded-xl border border-line bg-surface px-3.5 py-3">
          <div className="min-w-0 flex-1">
            <p className="font-medium text-sm">Use this server</p>
            <p className="text-muted text-xs">When off, the hub does not connect and offers none of its tools.</p>
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
              ? 'Saving reconnects the server. Masked secrets keep their value, unless they would go to another command or host.'
              : isSaved
                ? 'Saved.'
                : 'No changes.'}
          </p>
          <Button disabled={!isDirty} onClick={settings.undo}>
            Discard
          </Button>
          <Button variant="primary" type="submit" icon={<Save aria-hidden />} busy={isSaving} disabled={!isDirty}>
            Save
          </Button>
        </div>
      )}
    </form>
  );
}

/** The banner already reports a conflict. */
function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.isConflict;
}
