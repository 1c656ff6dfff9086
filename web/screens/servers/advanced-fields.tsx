import { useId } from 'react';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { TextField } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { TextareaField } from '../../ui/textarea.tsx';
import { PairTable } from './pair-table.tsx';
import { plainInput, type ServerFieldsProps, textOf } from './server-fields.tsx';

export interface AdvancedFieldsProps extends ServerFieldsProps {
  /** The server name, for the default prefix. */
  name: string;
}

const trustMeanings = {
  'first-use': 'Accepts the first list of tools. Later additions and changes wait for your approval.',
  ask: 'Every tool waits for your approval, including the first list.',
  always: 'Offers every tool at once, even after changes. Use this only for servers you run yourself.',
};

export function AdvancedFields(props: AdvancedFieldsProps) {
  const { form, problems, onChange } = props;
  return (
    <div className="flex flex-col gap-4">
      <Field label="Trust" hint={trustMeanings[form.trust]}>
        {({ id }) => (
          <Select
            id={id}
            label="Trust"
            value={form.trust}
            options={[
              { value: 'first-use', label: 'Trust on first use' },
              { value: 'ask', label: 'Ask for every tool' },
              { value: 'always', label: 'Always trust' },
            ]}
            onChange={(trust) => onChange({ trust })}
          />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Connect">
          {({ id }) => (
            <Select
              id={id}
              label="Connect"
              value={form.start}
              options={[
                { value: 'first-use', label: 'On the first call' },
                { value: 'boot', label: 'When the hub starts' },
              ]}
              onChange={(start) => onChange({ start })}
            />
          )}
        </Field>
        <PrefixField {...props} />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <GlobsField
          label="Include"
          placeholder="read_*"
          hint="Names or * patterns. Leave empty for all tools."
          value={form.include}
          error={problems.include}
          onChange={(include) => onChange({ include })}
        />
        <GlobsField
          label="Exclude"
          placeholder="delete_*"
          value={form.exclude}
          error={problems.exclude}
          onChange={(exclude) => onChange({ exclude })}
        />
      </div>
      <ApproveField {...props} />
      {form.transport !== 'stdio' && (
        <PairTable
          label="Other headers"
          one="header"
          namePlaceholder="X-Team"
          pairs={form.headers}
          error={problems.headers}
          onChange={(headers) => onChange({ headers })}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label="Call timeout"
          hint="Seconds without progress."
          inputMode="decimal"
          {...textOf(props, 'timeoutSeconds')}
        />
        <TextField
          label="Connect timeout"
          hint="Seconds."
          inputMode="decimal"
          {...textOf(props, 'connectTimeoutSeconds')}
        />
        <TextField label="Concurrent calls" inputMode="numeric" {...textOf(props, 'maxConcurrentCalls')} />
        <TextField label="Max. result" hint="Bytes." inputMode="numeric" {...textOf(props, 'maxOutputBytes')} />
        <TextField label="Max. message" hint="Bytes." inputMode="numeric" {...textOf(props, 'maxMessageBytes')} />
      </div>
    </div>
  );
}

function PrefixField({ form, problems, onChange, name }: AdvancedFieldsProps) {
  const defaultPrefix = `mcp__${name || 'NAME'}__`;
  return (
    <TextField
      label="Tool prefix"
      {...plainInput}
      inputClass="font-mono"
      value={form.prefix ?? defaultPrefix}
      error={problems.prefix ?? null}
      hint={
        form.prefix === '' ? 'Tools keep their names.' : `The tool “read” becomes ${form.prefix ?? defaultPrefix}read.`
      }
      onChange={(event) => {
        const { value } = event.currentTarget;
        onChange({ prefix: value === defaultPrefix ? null : value });
      }}
    />
  );
}

function ApproveField({ form, problems, onChange }: ServerFieldsProps) {
  return (
    <div className="flex flex-col gap-3">
      <CheckField
        label="Trust this server's hints"
        hint="Tools marked read-only skip approval. Otherwise, the hub ignores the hints."
        checked={form.trustHints}
        onChange={(trustHints) => onChange({ trustHints })}
      />
      <CheckField
        label="Require approval for all tools"
        hint={form.trustHints ? 'Except those that the server calls read-only.' : null}
        checked={form.approve === null}
        onChange={(isDefault) => onChange({ approve: isDefault ? null : '' })}
      />
      {form.approve !== null && (
        <GlobsField
          label="Require approval for"
          placeholder="delete_*"
          hint="Names or * patterns. Leave empty for none."
          value={form.approve}
          error={problems.approve}
          onChange={(approve) => onChange({ approve })}
        />
      )}
    </div>
  );
}

interface CheckFieldProps {
  label: string;
  hint: string | null;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

function CheckField({ label, hint, checked, onChange }: CheckFieldProps) {
  const id = useId();
  return (
    <label htmlFor={id} className="flex items-start gap-2.5 text-sm">
      <Checkbox
        id={id}
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
        className="mt-0.5"
      />
      <span>
        {label}
        {hint !== null && <span className="block text-muted text-xs">{hint}</span>}
      </span>
    </label>
  );
}

interface GlobsFieldProps {
  label: string;
  placeholder: string;
  hint?: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function GlobsField({ label, placeholder, hint, value, error, onChange }: GlobsFieldProps) {
  return (
    <TextareaField
      label={label}
      placeholder={placeholder}
      {...(hint && { hint })}
      {...plainInput}
      rows={2}
      value={value}
      error={error ?? null}
      inputClass="font-mono min-h-14!"
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
