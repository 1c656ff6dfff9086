import { RotateCcw } from 'lucide-react';
import { Suspense, useDeferredValue, useMemo } from 'react';
import { previewTemplate, templateProblems } from '../../../../src/agents/exposes/fill-template.ts';
import { toJsonSchema } from '../../../../src/agents/exposes/tool-schema.ts';
import { isRecord } from '../../../../src/base/is-record.ts';
import { fromHub, lazyPart } from '../../../api/from-hub.ts';
import { fieldOf } from '../../../parts/schema-form/schema-fields.ts';
import { SchemaForm } from '../../../parts/schema-form/schema-form.tsx';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { Folding } from '../../../ui/folding.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import type { OfferedTool } from './offered-tools.ts';
import { sampleValues } from './sample-values.ts';

const TemplateEditor = lazyPart(
  fromHub(() => import('./template-editor.tsx')),
  'TemplateEditor',
);

export interface PromptSectionProps {
  row: OfferedTool;
  editable: boolean;
  /** The hub's messages about the prompt. */
  hubMessages: readonly string[];
  change: (change: (row: OfferedTool) => OfferedTool) => void;
}

const noIssues: ReadonlyMap<string, string> = new Map();

export function PromptSection({ row, editable, hubMessages, change }: PromptSectionProps) {
  const { tool } = row;
  const problems = useMemo(() => {
    const found = templateProblems(tool.prompt, tool);
    return [...found, ...hubMessages.filter((message) => !found.includes(message))];
  }, [tool, hubMessages]);
  return (
    <section aria-label="Prompt" className="flex flex-col gap-2.5">
      <h3 className="font-semibold text-sm">Prompt</h3>
      <div className="flex items-start gap-5 @max-4xl:flex-col @max-4xl:items-stretch">
        <div className="flex min-w-0 flex-[3] flex-col gap-1.5">
          <div
            className={classes(
              'rounded-xl border bg-raised shadow-card',
              problems.length > 0 ? 'border-danger' : 'border-line-strong',
            )}
          >
            <Suspense fallback={<Skeleton className="m-3 h-4 w-2/3" />}>
              <TemplateEditor
                label="Prompt template"
                value={tool.prompt}
                tool={tool}
                readOnly={!editable}
                isInvalid={problems.length > 0}
                placeholder="What the agent gets when the tool is called, e.g. Book a flight to {destination}."
                onChange={(prompt) => change((before) => ({ ...before, tool: { ...before.tool, prompt } }))}
              />
            </Suspense>
          </div>
          {problems.length > 0 ? (
            <div role="alert" aria-label="Prompt problems">
              <ul className="flex flex-col gap-0.5 text-danger text-xs">
                {problems.map((problem) => (
                  <li key={problem} className="break-words">
                    {problem}
                  </li>
                ))}
              </ul>
            </div>
          ) : (
            <p className="text-faint text-xs">
              Type <Code>{'{'}</Code> to insert a parameter. Use <Code>{'{a.b}'}</Code> for a nested one,{' '}
              <Code>{'{name}'}</Code> for the tool’s name and <Code>{'{{'}</Code> for a literal brace.
            </p>
          )}
        </div>
        <Preview row={row} change={change} />
      </div>
    </section>
  );
}

/** The prompt of one call, filled with sample values. */
function Preview({ row, change }: Pick<PromptSectionProps, 'row' | 'change'>) {
  const { tool } = useDeferredValue(row);
  const values = useValues(row);
  const field = useMemo(() => fieldOf(toJsonSchema(tool.parameters)), [tool.parameters]);
  const parameters = isRecord(values) ? values : {};
  const hasFields = field.kind === 'object' && field.properties.length > 0;
  return (
    <div className="flex min-w-0 flex-[2] flex-col gap-1.5">
      <FilledPrompt text={previewTemplate(tool.prompt, { tool, parameters })} />
      {hasFields && (
        <Folding summary={<span className="text-muted text-xs">Sample values</span>}>
          <div className="flex flex-col gap-3 pt-1">
            <SchemaForm
              field={field}
              value={values}
              issues={noIssues}
              onChange={(next) => change((before) => ({ ...before, values: next ?? {} }))}
            />
            {row.values !== null && (
              <Button
                size="sm"
                variant="ghost"
                icon={<RotateCcw aria-hidden />}
                onClick={() => change((before) => ({ ...before, values: null }))}
                className="self-start"
              >
                Reset values
              </Button>
            )}
          </div>
        </Folding>
      )}
    </div>
  );
}

/** Returns the values for previews and tests. */
export function useValues({ values, tool }: OfferedTool): unknown {
  const samples = useMemo(() => sampleValues(tool.parameters), [tool.parameters]);
  return values ?? samples;
}

export function FilledPrompt({ text }: { text: string }) {
  return (
    <section
      aria-label="Filled prompt"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
      tabIndex={0}
      className="max-h-72 min-h-24 overflow-auto whitespace-pre-wrap rounded-xl border border-line bg-sunken/60 px-4 py-3 font-mono text-xs leading-5 [overflow-wrap:anywhere]"
    >
      {text === '' ? <span className="font-sans text-faint">The filled prompt appears here.</span> : text}
    </section>
  );
}

function Code({ children }: { children: string }) {
  return <code className="rounded bg-hover px-1 py-0.5 font-mono">{children}</code>;
}
