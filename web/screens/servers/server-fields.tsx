import type { ReactNode } from 'react';
import { Field } from '../../ui/field.tsx';
import { TextField } from '../../ui/input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Select } from '../../ui/select.tsx';
import { parseCommandLine } from './command-line.ts';
import { PairTable } from './pair-table.tsx';
import type { AuthType, ServerForm, ServerProblems } from './server-form.ts';

export interface ServerFieldsProps {
  form: ServerForm;
  problems: ServerProblems;
  onChange: (change: Partial<ServerForm>) => void;
}

/** Turns off autocorrection for technical text. */
export const plainInput = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

type TextName = {
  [name in keyof ServerForm]: ServerForm[name] extends string ? name : never;
}[keyof ServerForm];

/** Returns the props that bind a text field to the form. */
export function textOf({ form, problems, onChange }: ServerFieldsProps, name: TextName) {
  return {
    ...plainInput,
    value: form[name],
    error: problems[name] ?? null,
    inputClass: 'font-mono',
    onChange: (event: { currentTarget: { value: string } }) => onChange({ [name]: event.currentTarget.value }),
  };
}

export function CommandFields(props: ServerFieldsProps) {
  const { form, problems, onChange } = props;
  return (
    <>
      <div className="flex min-w-0 flex-col gap-2">
        <TextField
          label="Command"
          placeholder="npx -y @modelcontextprotocol/server-filesystem /home/ada/notes"
          {...textOf(props, 'commandLine')}
        />
        <CommandParts text={form.commandLine} />
      </div>
      <PairTable
        label="Environment variables"
        one="variable"
        namePlaceholder="API_KEY"
        pairs={form.env}
        error={problems.env}
        hint={secretHint}
        onChange={(env) => onChange({ env })}
      />
      <TextField
        label="Working directory"
        placeholder="The hub's directory"
        hint="A path on the machine that runs the hub."
        {...textOf(props, 'cwd')}
      />
    </>
  );
}

/** Previews the parsed command line. */
function CommandParts({ text }: { text: string }) {
  const parsed = text.trim() === '' ? null : parseCommandLine(text);
  if (!parsed) return <p className="text-muted text-xs">Quotes keep spaces. No shell runs the command.</p>;
  if (!parsed.ok) return null;
  const { command, args, env } = parsed.line;
  const keyedArgs = args.map((arg, index) => ({ arg, key: `${index} ${arg}` }));
  return (
    <ul aria-label="Parsed command" className="flex flex-wrap gap-1 font-mono text-2xs">
      {Object.keys(env).map((name) => (
        <Part key={name} look="bg-violet-soft text-violet">{`${name}=…`}</Part>
      ))}
      <Part look="bg-accent-soft text-accent-text font-medium">{command}</Part>
      {keyedArgs.map(({ arg, key }) => (
        <Part key={key} look="bg-hover text-muted">
          {arg === '' ? '(empty)' : arg}
        </Part>
      ))}
    </ul>
  );
}

function Part({ look, children }: { look: string; children: string }) {
  return <li className={`max-w-full whitespace-pre-wrap break-all rounded px-1.5 py-0.5 ${look}`}>{children}</li>;
}

const authNames: { value: AuthType; label: string }[] = [
  { value: 'none', label: 'None' },
  { value: 'bearer', label: 'Bearer token' },
  { value: 'api-key', label: 'API key' },
  { value: 'headers', label: 'Headers' },
  { value: 'oauth', label: 'OAuth' },
];

export function UrlFields(props: ServerFieldsProps) {
  const { form, problems, onChange } = props;
  return (
    <>
      <TextField label="URL" placeholder="https://example.com/mcp" inputMode="url" {...textOf(props, 'url')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Transport">
          {({ id }) => (
            <Select
              id={id}
              label="Transport"
              value={form.transport}
              options={[
                { value: 'streamable-http', label: 'Streamable HTTP' },
                { value: 'sse', label: 'SSE (older servers)' },
              ]}
              onChange={(transport) => onChange({ transport })}
            />
          )}
        </Field>
        <Field label="Authentication" error={problems.auth}>
          {({ id }) => (
            <Select
              id={id}
              label="Authentication"
              value={form.auth}
              options={authNames}
              onChange={(auth) =>
                onChange({
                  auth,
                  ...(auth === 'headers' &&
                    form.authHeaders.length === 0 && { authHeaders: [{ id: 0, name: '', value: '' }] }),
                })
              }
            />
          )}
        </Field>
      </div>
      <AuthFields {...props} />
    </>
  );
}

function AuthFields(props: ServerFieldsProps): ReactNode {
  const { form, problems, onChange } = props;
  switch (form.auth) {
    case 'none':
      return null;
    case 'bearer':
      return <TextField label="Token" placeholder="${TOKEN}" hint={secretHint} {...textOf(props, 'token')} />;
    case 'api-key':
      return (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Key" placeholder="${API_KEY}" hint={secretHint} {...textOf(props, 'key')} />
          <TextField label="Header" hint="The header that carries the key." {...textOf(props, 'keyHeader')} />
        </div>
      );
    case 'headers':
      return (
        <PairTable
          label="Headers"
          one="header"
          namePlaceholder="X-Api-Token"
          pairs={form.authHeaders}
          error={problems.authHeaders}
          hint={secretHint}
          onChange={(authHeaders) => onChange({ authHeaders })}
        />
      );
    case 'oauth':
      return <OAuthFields {...props} />;
  }
}

function OAuthFields(props: ServerFieldsProps) {
  const { form, onChange } = props;
  const isMachine = form.grant === 'client-credentials';
  return (
    <div className="flex flex-col gap-4 rounded-xl border border-line p-3.5">
      <div className="flex flex-col gap-1.5">
        <Segmented
          label="Sign-in by"
          value={form.grant}
          onChange={(grant) => onChange({ grant })}
          className="w-full"
          options={[
            { value: 'authorization-code', label: 'You, in a browser' },
            { value: 'client-credentials', label: 'The hub itself' },
          ]}
        />
        <p className="text-muted text-xs">
          {isMachine
            ? 'Uses a client id and secret registered with the server. No browser needed.'
            : 'After adding the server, choose “Sign in”. The hub then renews the token automatically.'}
        </p>
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Client id"
          placeholder={isMachine ? '' : 'Registered automatically'}
          {...textOf(props, 'clientId')}
        />
        <TextField
          label="Client secret"
          placeholder={isMachine ? `\${CLIENT_SECRET}` : 'None'}
          {...textOf(props, 'clientSecret')}
        />
      </div>
      <TextField label="Scope" placeholder="Default of the server" {...textOf(props, 'scope')} />
      <TextField
        label="Private sign-in hosts"
        placeholder="None. Such as sso.corp.example"
        {...textOf(props, 'allowHosts')}
      />
    </div>
  );
}

export const secretHint = `\${VAR} is read from the hub’s environment. Other values are stored encrypted.`;
