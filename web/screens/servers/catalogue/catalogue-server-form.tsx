import { ExternalLink } from 'lucide-react';
import type { RefCallback } from 'react';
import type { CatalogueField, WayToAdd } from '../../../../src/servers/catalogue/ways-to-add.ts';
import { serverLimits } from '../../../../src/servers/server-definition.ts';
import { DraftNote } from '../../../parts/drafts/draft-note.tsx';
import { Field } from '../../../ui/field.tsx';
import { ForeignText } from '../../../ui/foreign-text.tsx';
import { FormError } from '../../../ui/form-dialog.tsx';
import { TextField } from '../../../ui/input.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Select } from '../../../ui/select.tsx';
import { TextareaField } from '../../../ui/textarea.tsx';
import { formatCommandLine } from '../command-line.ts';
import { plainInput, secretHint } from '../server-fields.tsx';
import type { CatalogueState } from './use-catalogue.ts';

/** Shows what a server of the catalogue would run, and asks for the values that it needs. */
export function CatalogueServerForm({ chosen }: { chosen: CatalogueState['chosen'] }) {
  const { server, ways, way, values, problems, setValue } = chosen;
  if (!server || !way) return null;
  const needed = way.fields.filter(({ isNeeded }) => isNeeded);
  const optional = way.fields.filter(({ isNeeded }) => !isNeeded);
  const link = server.websiteUrl ?? server.repository?.url;
  const bind = (field: CatalogueField) => ({
    field,
    value: values[field.key],
    error: problems[field.key] ?? null,
    onChange: (value: string) => setValue(field.key, value),
  });
  const isMoreWrong = chosen.nameProblem !== null || optional.some(({ key }) => key in problems);
  return (
    <section
      ref={focusFirst}
      tabIndex={-1}
      aria-label={server.title ?? server.name}
      className="outline-none flex min-h-80 flex-col gap-4"
    >
      <div className="flex flex-col gap-1">
        <h3 className="font-semibold text-base">
          <ForeignText text={server.title ?? server.name} />
        </h3>
        <p className="text-muted text-sm">
          <ForeignText text={server.description} />
        </p>
        {link && (
          <a
            href={link}
            target="_blank"
            rel="noreferrer"
            className="flex w-fit items-center gap-1 text-accent-text text-xs hover:underline"
          >
            {new URL(link).host}
            <ExternalLink aria-hidden className="size-3" />
          </a>
        )}
      </div>
      {ways.length > 1 && (
        <Segmented
          label="Use as"
          className="w-full"
          value={String(ways.indexOf(way))}
          options={ways.map(({ label }, index) => ({ value: String(index), label }))}
          onChange={(index) => chosen.chooseWay(Number(index))}
        />
      )}
      <DraftNote draft={chosen.draft} />
      <WhatRuns way={way} values={values} />
      {needed.length > 0 && (
        <div data-needed className="flex flex-col gap-4">
          {needed.map((field) => (
            <ValueField key={field.key} {...bind(field)} />
          ))}
        </div>
      )}
      <details className="rounded-xl border border-line px-3.5 py-2.5" {...(isMoreWrong && { open: true })}>
        <summary className="w-fit rounded-md text-muted text-sm hover:text-text">
          {optional.length === 0 ? 'Name' : 'Name and optional settings'}
        </summary>
        <div className="mt-3 flex flex-col gap-4">
          <TextField
            label="Name"
            {...plainInput}
            maxLength={serverLimits.name}
            inputClass="font-mono"
            value={chosen.name}
            error={chosen.nameProblem}
            hint={`Its tools are named mcp__${chosen.name || 'NAME'}__…`}
            onChange={(event) => chosen.setName(event.currentTarget.value)}
          />
          {optional.map((field) => (
            <ValueField key={field.key} {...bind(field)} />
          ))}
        </div>
      </details>
      <FormError error={chosen.error} />
    </section>
  );
}

/** The row that was chosen is gone, so the focus moves to the first field that needs a value, or to the text. */
const focusFirst: RefCallback<HTMLElement> = (element) =>
  (element?.querySelector<HTMLElement>('[data-needed] :is(input, textarea, button)') ?? element)?.focus();

/** Shows the command or URL, variables and headers: what the entry sets and what was entered, except secrets. */
function WhatRuns({ way, values }: { way: WayToAdd; values: Readonly<Record<string, string>> }) {
  const shown = Object.fromEntries(
    way.fields.map(({ key, label, isSecret, isNeeded }) => {
      const value = values[key]?.trim();
      return [key, isSecret ? (isNeeded || value ? '…' : '') : value || (isNeeded ? label.toUpperCase() : '')];
    }),
  );
  const definition = way.define(shown);
  const isCommand = definition.transport === 'stdio';
  const settings = Object.entries((isCommand ? definition.env : definition.headers) ?? {});
  return (
    <div className="flex flex-col gap-1 rounded-xl bg-hover px-3.5 py-2.5">
      <p className="text-muted text-xs">{isCommand ? 'The hub runs' : 'The hub connects to'}</p>
      <code className="break-all font-mono text-xs">
        <ForeignText text={isCommand ? formatCommandLine(definition.command, definition.args ?? []) : definition.url} />
      </code>
      {settings.length > 0 && (
        <>
          <p className="mt-1 text-muted text-xs">With the {isCommand ? 'variables' : 'headers'}</p>
          <ul className="flex flex-col gap-0.5">
            {settings.map(([name, value]) => (
              <li key={name} className="whitespace-pre-wrap break-all font-mono text-xs">
                <ForeignText text={isCommand ? `${name}=${value}` : `${name}: ${value}`} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

interface ValueFieldProps {
  field: CatalogueField;
  value: string | undefined;
  error: string | null;
  onChange: (value: string) => void;
}

function ValueField({ field, value, error, onChange }: ValueFieldProps) {
  const { label, isSecret, isRepeated, format, choices, placeholder } = field;
  const hint = [field.description, isSecret && secretHint, isRepeated && 'One per line.'].filter(Boolean).join(' ');
  const options = choices.length > 0 ? choices : format === 'boolean' ? ['true', 'false'] : [];
  if (options.length > 0) {
    return (
      <Field label={label} hint={hint} error={error}>
        {({ id }) => (
          <Select
            id={id}
            label={label}
            value={value ?? field.default}
            options={[
              ...(options.includes(field.default) ? [] : [{ value: '', label: 'Not set' }]),
              ...options.map((each) => ({ value: each, label: each })),
            ]}
            onChange={onChange}
          />
        )}
      </Field>
    );
  }
  const shared = {
    ...plainInput,
    label,
    hint,
    error,
    placeholder: placeholder || field.default,
    value: value ?? '',
    inputClass: 'font-mono',
  };
  if (isRepeated) {
    return <TextareaField {...shared} rows={2} onChange={(event) => onChange(event.currentTarget.value)} />;
  }
  return (
    <TextField
      {...shared}
      type={isSecret ? 'password' : 'text'}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
