import { Suspense, useId } from 'react';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { fromHub, lazyPart } from '../../../api/from-hub.ts';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { classes } from '../../../ui/classes.ts';
import { Folding } from '../../../ui/folding.tsx';
import { TextField } from '../../../ui/input.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { type OfferedTool, typeOutput } from './offered-tools.ts';
import { schemaText } from './read-schema.ts';

const JsonEditor = lazyPart(
  fromHub(() => import('./json-editor.tsx')),
  'JsonEditor',
);

export interface MoreSectionProps {
  row: OfferedTool;
  editable: boolean;
  /** The tool's issues; paths are relative to the tool. */
  issues: readonly FieldIssue[];
  change: (change: (row: OfferedTool) => OfferedTool) => void;
}

/** Settings that few tools need. */
export function MoreSection(props: MoreSectionProps) {
  const { tool, output } = props.row;
  const set = [
    tool.outputSchema && 'structured output',
    tool.cache && `cached for ${tool.cache.seconds} s`,
    tool.version !== undefined && `version ${tool.version}`,
  ].filter(Boolean);
  const hasIssue = props.issues.some(({ path }) => /^(?:outputSchema|cache|version)/.test(path));
  return (
    <Folding
      isOpenFirst={hasIssue || Boolean(output?.problem)}
      summary={
        <span className="min-w-0 truncate text-sm">
          <span className="font-semibold">Output, cache and version</span>
          <span className="ml-2 text-faint text-xs">{set.join(' · ')}</span>
        </span>
      }
    >
      <div className="flex flex-col gap-5 pt-2 pl-4 max-sm:pl-0">
        <Version {...props} />
        <Cache {...props} />
        <Output {...props} />
      </div>
    </Folding>
  );
}

function Version({ row, editable, issues, change }: MoreSectionProps) {
  return (
    <TextField
      label="Tool version"
      hint="Optional. Use {version} in the prompt to insert it."
      error={issues.find(({ path }) => path === 'version')?.message}
      value={row.tool.version ?? ''}
      readOnly={!editable}
      autoComplete="off"
      onChange={(event) => {
        const version = event.target.value;
        change((before) => {
          const { version: _, ...tool } = before.tool;
          return { ...before, tool: version === '' ? tool : { ...tool, version } };
        });
      }}
      className="max-w-80"
    />
  );
}

const defaultSeconds = 300;

function Cache({ row, editable, issues, change }: MoreSectionProps) {
  const { cache, parameters } = row.tool;
  const names = Object.keys(parameters.properties ?? {});
  const set = (next: OfferedTool['tool']['cache']) =>
    change((before) => {
      const { cache: _, ...tool } = before.tool;
      return { ...before, tool: next ? { ...tool, cache: next } : tool };
    });
  const keyIssues = issues.filter(({ path }) => path.startsWith('cache.key')).map(({ message }) => message);
  return (
    <fieldset aria-label="Cache" className="flex flex-col gap-2.5">
      <span className="flex items-center gap-2.5 font-medium text-sm">
        <Switch
          label="Cache answers"
          checked={cache !== undefined}
          disabled={!editable}
          onChange={(isOn) => set(isOn ? { seconds: defaultSeconds } : undefined)}
        />
        <span aria-hidden>Cache answers</span>
      </span>
      {cache && (
        <>
          <TextField
            label="Seconds"
            hint="Repeated calls with the same values get the cached answer without calling the model."
            error={issues.find(({ path }) => path === 'cache.seconds' || path === 'cache')?.message}
            inputMode="numeric"
            autoComplete="off"
            readOnly={!editable}
            value={cache.seconds === 0 ? '' : String(cache.seconds)}
            onChange={(event) =>
              set({ ...cache, seconds: Number(event.target.value.replaceAll(/\D/g, '').slice(0, 9)) })
            }
            className="max-w-80"
          />
          {names.length > 0 && (
            <KeyChoice
              names={names}
              chosen={cache.key}
              editable={editable}
              onChange={(key) => set(key ? { seconds: cache.seconds, key } : { seconds: cache.seconds })}
            />
          )}
          {keyIssues.map((message) => (
            <p key={message} role="alert" className="text-danger text-xs">
              {message}
            </p>
          ))}
        </>
      )}
    </fieldset>
  );
}

interface KeyChoiceProps {
  names: readonly string[];
  chosen: readonly string[] | undefined;
  editable: boolean;
  onChange: (key: string[] | undefined) => void;
}

/** Choosing all names equals choosing none, so that parameters added later count too. */
function KeyChoice({ names, chosen, editable, onChange }: KeyChoiceProps) {
  const id = useId();
  const set = (name: string, isOn: boolean) => {
    const key = (chosen ?? names).filter((each) => each !== name);
    const next = isOn ? [...key, name] : key;
    onChange(next.length === 0 || names.every((each) => next.includes(each)) ? undefined : next);
  };
  const removedNames = (chosen ?? []).filter((name) => !names.includes(name));
  return (
    <fieldset aria-label="Cache by" className="flex flex-col gap-1.5">
      <span aria-hidden className="text-muted text-xs">
        Cache by
      </span>
      <div className="flex flex-wrap gap-x-4 gap-y-1.5">
        {[...names, ...removedNames].map((name) => (
          <label key={name} htmlFor={`${id}-${name}`} className="flex items-center gap-1.5 font-mono text-xs">
            <Checkbox
              id={`${id}-${name}`}
              checked={chosen?.includes(name) ?? true}
              disabled={!editable}
              onChange={(event) => set(name, event.target.checked)}
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Output({ row, editable, change }: MoreSectionProps) {
  const { output, tool } = row;
  const text = output?.text ?? (tool.outputSchema ? schemaText(tool.outputSchema) : '');
  return (
    <div className="flex flex-col gap-1.5">
      <span aria-hidden className="font-medium text-sm">
        Output schema
      </span>
      <div
        className={classes(
          'max-w-3xl rounded-xl border bg-raised shadow-card',
          output?.problem ? 'border-danger' : 'border-line-strong',
        )}
      >
        <Suspense fallback={<Skeleton className="m-3 h-4 w-2/3" />}>
          <JsonEditor
            label="Output schema"
            value={text}
            readOnly={!editable}
            isInvalid={Boolean(output?.problem)}
            placeholder='{ "type": "object", "properties": { "total": { "type": "number" } } }'
            onChange={(next) => change((before) => typeOutput(before, next))}
          />
        </Suspense>
      </div>
      {output?.problem ? (
        <p role="alert" className="break-words text-danger text-xs">
          {output.problem}
        </p>
      ) : (
        <p className="text-muted text-xs">
          Optional. Without a schema the tool returns text; with one it returns matching JSON.
        </p>
      )}
    </div>
  );
}
