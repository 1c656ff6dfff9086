import { useId } from 'react';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { TextField } from '../../ui/input.tsx';
import { Select } from '../../ui/select.tsx';
import { TextareaField } from '../../ui/textarea.tsx';
import { PairTable } from './pair-table.tsx';
import { plainInput, type ServerFieldsProps, textOf } from './server-fields.tsx';

export interface AdvancedFieldsProps extends ServerFieldsProps {
  /** For the usual prefix. */
  name: string;
}

const trustHints = {
  'first-use': 'The tools of its first list are accepted; what is new or changed later waits for you.',
  ask: 'Every tool waits for you, those of the first list too.',
  always: 'Everything it lists is offered at once, also what changed. Only for servers you run yourself.',
};

export function AdvancedFields(props: AdvancedFieldsProps) {
  const { form, problems, onChange } = props;
  return (
    <div className="flex flex-col gap-4">
      <Field label="Trust" hint={trustHints[form.trust]}>
        {({ id }) => (
          <Select
            id={id}
            label="Trust"
            value={form.trust}
            options={[
              { value: 'first-use', label: 'Accept the first list' },
              { value: 'ask', label: 'Ask for every tool' },
              { value: 'always', label: 'Accept everything, always' },
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
                { value: 'first-use', label: 'With the first call' },
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
          label="Only these tools"
          placeholder="read_*"
          hint="Names or * patterns. Empty: all."
          value={form.include}
          error={problems.include}
          onChange={(include) => onChange({ include })}
        />
        <GlobsField
          label="But not"
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
          label="Give up a call after"
          hint="Seconds without news."
          inputMode="decimal"
          {...textOf(props, 'timeoutSeconds')}
        />
        <TextField
          label="Give up connecting after"
          hint="Seconds."
          inputMode="decimal"
          {...textOf(props, 'connectTimeoutSeconds')}
        />
        <TextField label="Calls at once" inputMode="numeric" {...textOf(props, 'maxConcurrentCalls')} />
        <TextField label="Largest result" hint="Bytes." inputMode="numeric" {...textOf(props, 'maxOutputBytes')} />
        <TextField label="Largest message" hint="Bytes." inputMode="numeric" {...textOf(props, 'maxMessageBytes')} />
      </div>
    </div>
  );
}

function PrefixField({ form, problems, onChange, name }: AdvancedFieldsProps) {
  const usual = `mcp__${name || 'NAME'}__`;
  return (
    <TextField
      label="Prefix of its tools"
      {...plainInput}
      inputClass="font-mono"
      value={form.prefix ?? usual}
      error={problems.prefix ?? null}
      hint={form.prefix === '' ? 'Tools keep their own names.' : `A tool “read” is called ${form.prefix ?? usual}read.`}
      onChange={(event) => {
        const { value } = event.currentTarget;
        onChange({ prefix: value === usual ? null : value });
      }}
    />
  );
}

function ApproveField({ form, problems, onChange }: ServerFieldsProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-2">
      <label htmlFor={id} className="flex items-start gap-2.5 text-sm">
        <Checkbox
          id={id}
          checked={form.approve === null}
          onChange={(event) => onChange({ approve: event.currentTarget.checked ? null : '' })}
          className="mt-0.5"
        />
        <span>
          Ask a person before an agent calls a tool that is not read-only
          <span className="block text-muted text-xs">Whether it is, the server says itself.</span>
        </span>
      </label>
      {form.approve !== null && (
        <GlobsField
          label="Ask before these tools"
          placeholder="delete_*"
          hint="Names or * patterns. Empty: none."
          value={form.approve}
          error={problems.approve}
          onChange={(approve) => onChange({ approve })}
        />
      )}
    </div>
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
