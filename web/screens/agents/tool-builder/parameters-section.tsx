import { Braces, Undo2 } from 'lucide-react';
import { Suspense, useContext, useDeferredValue, useMemo, useRef, useState } from 'react';
import type { ExposedTool } from '../../../../src/agents/exposes/exposed-tool.ts';
import { fromHub, lazyPart } from '../../../api/from-hub.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { TypingContext, useHeldErrors } from '../../../ui/use-held-errors.ts';
import { type Builder, BuilderContext } from './builder-context.ts';
import { problemKey } from './find-problems.ts';
import { KeywordFields } from './keyword-fields.tsx';
import { DetailsButton } from './node-fields.tsx';
import { buildParameters, dropRaw, type OfferedTool, typeParameters } from './offered-tools.ts';
import { OtherRules } from './other-rules.tsx';
import { ParameterList } from './parameter-list.tsx';
import { schemaText } from './read-schema.ts';
import { type NodePath, pathTo, renameReferences } from './rename-references.ts';

const JsonEditor = lazyPart(
  fromHub(() => import('./json-editor.tsx')),
  'JsonEditor',
);

export interface ParametersSectionProps {
  row: OfferedTool;
  editable: boolean;
  /** The hub's messages about the parameters. */
  hubMessages: readonly string[];
  change: (change: (row: OfferedTool) => OfferedTool) => void;
}

const keyOf = ([key]: readonly [string, string]) => key;

/** The problems without those that came up while the user types. */
function useShownProblems({ problems }: OfferedTool): ReadonlyMap<string, string> {
  const isTyping = useContext(TypingContext);
  // A field that was just added has the focus by then.
  const settled = useDeferredValue(problems);
  const all = useMemo(() => [...settled], [settled]);
  const shown = useHeldErrors(all, keyOf, isTyping);
  return useMemo(() => new Map(shown), [shown]);
}

/** A property being renamed, with its path and tool before the rename. */
interface Rename {
  id: string;
  path: NodePath;
  tool: ExposedTool;
}

/** The parameters in the builder and, beside it, as JSON Schema. Both edit the same schema. */
export function ParametersSection({ row, editable, hubMessages, change }: ParametersSectionProps) {
  const [view, setView] = useState<'builder' | 'json'>('builder');
  const isTyping = Boolean(row.raw?.problem);
  const problems = useShownProblems(row);
  const { renamed, ...naming } = useRenaming(row, change);
  const builder = useMemo<Builder>(
    () => ({
      editable: editable && !isTyping,
      change: (edit) => change((before) => buildParameters(before, edit(before.parameters))),
      problemAt: (id, field) => problems.get(problemKey(id, field)),
      onNaming: naming.onNaming,
      onNamed: naming.onNamed,
    }),
    [editable, isTyping, change, problems, naming.onNaming, naming.onNamed],
  );
  const [isOpen, setIsOpen] = useState(false);
  const whole = builder.problemAt(row.parameters.id, '');
  return (
    <section aria-label="Parameters" className="flex flex-col gap-2.5">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="flex-1 font-semibold text-sm">Parameters</h3>
        <Segmented
          label="Parameter editor"
          value={view}
          onChange={setView}
          options={[
            { value: 'builder', label: 'Builder' },
            { value: 'json', label: 'JSON Schema' },
          ]}
          className="@4xl:hidden"
        />
      </div>
      {[...hubMessages, ...(whole === undefined ? [] : [whole])].map((message) => (
        <p key={message} role="alert" className="text-danger text-xs">
          {message}
        </p>
      ))}
      <div className="flex items-start gap-5">
        <div className={classes('flex min-w-0 flex-[3] flex-col gap-2', view === 'json' && '@max-4xl:hidden')}>
          {isTyping && (
            <Banner tone="warn" icon={<Braces />}>
              The JSON is not valid yet. The builder shows the last valid version.
            </Banner>
          )}
          <BuilderContext value={builder}>
            <ParameterList parent={row.parameters} />
            <div className="flex flex-col gap-2">
              <span className="flex items-center gap-1.5 text-muted text-xs">
                <DetailsButton
                  node={row.parameters}
                  name="all parameters"
                  isOpen={isOpen}
                  onToggle={() => setIsOpen(!isOpen)}
                />
                All parameters: {wholeSummary(row)}
              </span>
              {isOpen && (
                <div className="rounded-lg bg-sunken/60 p-3">
                  <KeywordFields node={row.parameters} name="all parameters" />
                  <div className="mt-2">
                    <OtherRules node={row.parameters} name="all parameters" />
                  </div>
                </div>
              )}
            </div>
          </BuilderContext>
          {renamed && (
            <Banner
              tone="info"
              icon={<Undo2 />}
              actions={
                <>
                  <Button size="sm" onClick={renamed.apply}>
                    Rename in prompt
                  </Button>
                  <Button size="sm" variant="ghost" onClick={renamed.dismiss}>
                    Keep old name
                  </Button>
                </>
              }
            >
              The prompt still uses <code className="font-mono text-xs">{renamed.from}</code>{' '}
              {renamed.count === 1 ? 'once' : `${renamed.count} times`}.
            </Banner>
          )}
        </div>
        <div
          className={classes(
            'flex min-w-0 flex-[2] flex-col gap-1.5 @4xl:sticky @4xl:top-16',
            view === 'builder' && '@max-4xl:hidden',
          )}
        >
          <RawSchema row={row} editable={editable} change={change} />
        </div>
      </div>
    </section>
  );
}

function wholeSummary({ parameters }: OfferedTool): string {
  const { additionalProperties: others, minProperties, maxProperties } = parameters.keywords;
  const rest = Object.keys(parameters.other);
  const rules = rest.length === 0 ? '' : `; other rules: ${rest.slice(0, 5).join(', ')}`;
  const limits = minProperties !== undefined || maxProperties !== undefined ? '; limited number' : '';
  if (others === false) return `no additional properties${limits}${rules}`;
  return `${typeof others === 'object' ? 'additional properties of one type' : 'additional properties allowed'}${limits}${rules}`;
}

function RawSchema({ row, editable, change }: Omit<ParametersSectionProps, 'hubMessages'>) {
  const { raw, tool } = row;
  const generated = useMemo(() => schemaText(tool.parameters), [tool.parameters]);
  const text = raw?.text ?? generated;
  return (
    <>
      <div className="flex min-h-7 items-center gap-1.5 text-muted text-xs">
        <span className="flex-1">JSON Schema sent to callers</span>
        {raw?.problem && editable && (
          <Button size="sm" variant="ghost" icon={<Undo2 aria-hidden />} onClick={() => change(dropRaw)}>
            Discard JSON
          </Button>
        )}
        <CopyButton iconOnly label="Copy JSON Schema" text={text} />
      </div>
      <div
        className={classes(
          'rounded-xl border bg-raised shadow-card',
          raw?.problem ? 'border-danger' : 'border-line-strong',
        )}
      >
        <Suspense fallback={<Skeleton className="m-3 h-4 w-2/3" />}>
          <JsonEditor
            label="Parameters as JSON Schema"
            value={text}
            readOnly={!editable}
            isInvalid={Boolean(raw?.problem)}
            placeholder='{ "type": "object" }'
            onChange={(next) => change((before) => typeParameters(before, next))}
          />
        </Suspense>
      </div>
      {raw?.problem && (
        <p role="alert" className="whitespace-pre-wrap break-words text-danger text-xs">
          {raw.problem}
        </p>
      )}
    </>
  );
}

/** Tracks renames and offers to rename the references in the prompt. */
function useRenaming(row: OfferedTool, change: ParametersSectionProps['change']) {
  const latest = useRef(row);
  latest.current = row;
  const naming = useRef<Rename | null>(null);
  const [rename, setRename] = useState<(Rename & { name: string }) | null>(null);
  const handlers = useMemo(
    () => ({
      onNaming: (id: string) => {
        const path = pathTo(latest.current.parameters, id);
        naming.current = path ? { id, path, tool: latest.current.tool } : null;
      },
      onNamed: (id: string, name: string) => {
        const started = naming.current;
        naming.current = null;
        if (started?.id !== id || name === '') return;
        // Renamed again: the prompt still uses the first name.
        setRename((before) => {
          const first = before?.id === id ? before : started;
          return first.path.at(-1) === name ? null : { ...first, name };
        });
      },
    }),
    [],
  );
  const found = rename && renameReferences(row.tool.prompt, rename.tool, rename);
  // Asks only if the prompt uses the old name.
  const isOpen = rename !== null && found !== null && found.count > 0 && row.problems.size === 0;
  return {
    ...handlers,
    renamed: isOpen
      ? {
          from: `{${rename.path.map((step) => step ?? '…').join('.')}}`,
          count: found.count,
          dismiss: () => setRename(null),
          apply: () => {
            change((before) => ({ ...before, tool: { ...before.tool, prompt: found.template } }));
            setRename(null);
          },
        }
      : null,
  };
}
